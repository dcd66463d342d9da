import type { DatabaseSync } from 'node:sqlite';
import { TEXT_END } from '#reputation/standings';
import { CORRECTED_SQL } from '#storage/corrections';
import { BADGES_A_PAGE } from '#storage/define-badges';
import { CHAINS_MAX } from '#storage/fill-standings';
import { type BatchName, NO_BATCH } from '#storage/following/position';
import type { AwardRow, LedgerHead, LedgerSnapshot } from '#storage/following/snapshot';
import { readIntegers } from '#storage/packed';
import { arraysOf } from './arrays.ts';

/** Rows per fetch; requests wait meanwhile, at most a tenth of a millisecond. */
const STEP = 64;
/** Batches per page. */
const BATCHES = 64;

/** SQL aggregate: all values of an integer column, for `readIntegers`. */
export function packed(column: string): string {
  return `CAST(group_concat(${column}) AS BLOB)`;
}

/** SQL aggregate: all values of a text column, each followed by TEXT_END. */
export function packedTexts(column: string): string {
  return `CAST(group_concat(${column} || char(${TEXT_END}), '') AS BLOB)`;
}

/** From a row with the newest batch. */
export function batchNameOf(row: Record<string, unknown> | undefined): BatchName {
  return row === undefined ? NO_BATCH : { id: Number(row.id), uid: String(row.uid) };
}

/** Queries of the ledger on one connection; in a transaction they all see one moment. */
export interface LedgerQueries {
  /** How much data there is. */
  head(): LedgerHead;
  /** Of batches up to the head's newest. */
  snapshot(head: LedgerHead): LedgerSnapshot;
}

/** Prepares all statements once. */
export function prepareLedger(db: DatabaseSync): LedgerQueries {
  const newest = db.prepare('SELECT id, uid FROM batch ORDER BY id DESC LIMIT 1');
  const counts = db.prepare(
    `SELECT (SELECT max(id) FROM wallet) AS wallets, (SELECT max(revision) FROM badge) AS badges,
            (SELECT max(revision) FROM name) AS names,
            (SELECT number FROM edition WHERE state = 'live') AS edition,
            (SELECT max(number) FROM scored_change) AS changes`,
  );
  const wallets = db.prepare(
    `SELECT count(*) AS n, max(id) AS last, ${packed(`id * ${CHAINS_MAX} + chain`)} AS pairs,
            ${packedTexts('address')} AS addresses
     FROM (SELECT id, chain, address FROM wallet WHERE id > ? ORDER BY id LIMIT ${STEP})`,
  );
  const badges = db.prepare(
    `SELECT * FROM badge WHERE revision > ? AND revision <= ? AND number > ?
     ORDER BY number LIMIT ${BADGES_A_PAGE}`,
  );
  const names = db.prepare(
    `SELECT count(*) AS n, max(revision) AS revision, ${packed('wallet')} AS wallets,
            ${packedTexts('display_name')} AS names
     FROM (
       SELECT revision, wallet, display_name FROM name
       WHERE (revision, wallet) > (?, ?) AND revision <= ? ORDER BY revision, wallet LIMIT ${STEP}
     )`,
  );
  const batches = db.prepare(
    `SELECT id, uid, last_seq, committed_at FROM batch WHERE id > ? AND id <= ?
     ORDER BY id LIMIT ${BATCHES}`,
  );
  const changes = db.prepare(
    `SELECT count(*) AS n, ${packed('number')} AS numbers, ${packed('wallet')} AS wallets,
            ${packed('points')} AS points, ${packed('activities')} AS activities,
            ${packedTexts('gained')} AS gained, ${packedTexts('lost')} AS lost
     FROM (SELECT number, wallet, points, activities, gained, lost FROM scored_change
           WHERE batch = ? AND number > ? ORDER BY number LIMIT ${STEP})`,
  );
  const corrected = db.prepare(CORRECTED_SQL);
  const awards = arraysOf(
    db.prepare(
      `SELECT wallet, badge, earned_at FROM award
       WHERE wallet IN (SELECT value FROM json_each($wallets))
       UNION ALL SELECT wallet, badge, earned_at FROM scored_badge
       WHERE edition = $edition AND wallet IN (SELECT value FROM json_each($wallets))`,
    ),
  );
  const rows = db.prepare(
    `SELECT count(*) AS n, ${packed('seq')} AS seqs, ${packed('wallet')} AS wallets,
            ${packed('points')} AS points, ${packed('coalesce(badge, 0)')} AS badges,
            ${packed('timestamp')} AS timestamps
     FROM (SELECT seq, wallet, points, badge, timestamp FROM activity
           WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${STEP})`,
  );

  return {
    head() {
      const name = batchNameOf(newest.get());
      const row = counts.get();
      return {
        newest: name,
        wallets: Number(row?.wallets ?? 0),
        // Outside a transaction there may be more by now.
        badges: Math.min(name.id, Number(row?.badges ?? 0)),
        names: Math.min(name.id, Number(row?.names ?? 0)),
        edition: Number(row?.edition ?? 0),
        changes: Number(row?.changes ?? 0),
      };
    },
    snapshot: (head) => ({
      head,
      wallets(after) {
        const row = wallets.get(after);
        const count = Number(row?.n);
        const addresses = textsOf(row?.addresses);
        return { count, pairs: integersOf(row?.pairs, count), addresses, last: Number(row?.last) };
      },
      badges: (after, above) => badges.all(after, head.newest.id, above),
      names(afterBatch, afterWallet) {
        const row = names.get(afterBatch, afterWallet, head.newest.id);
        const count = Number(row?.n);
        return {
          count,
          wallets: integersOf(row?.wallets, count),
          names: textsOf(row?.names),
          revision: Number(row?.revision),
          isLast: count < STEP,
        };
      },
      batches: (after) =>
        batches.all(after, head.newest.id).map((row) => ({
          ...batchNameOf(row),
          lastSeq: Number(row.last_seq),
          committedAt: Number(row.committed_at),
        })),
      corrected: ({ id, lastSeq }, after) =>
        corrected.all({ $1: id, $2: lastSeq, $3: after, $4: STEP }),
      awards(wallets) {
        const values = { wallets: JSON.stringify(wallets), edition: head.edition };
        const rows = awards.all(values) as unknown as AwardRow[];
        return { awards: rows, newest: batchNameOf(newest.get()).id };
      },
      changes({ id }, after) {
        const row = changes.get(id, after);
        const count = Number(row?.n);
        return {
          count,
          numbers: integersOf(row?.numbers, count),
          wallets: integersOf(row?.wallets, count),
          points: integersOf(row?.points, count),
          activities: integersOf(row?.activities, count),
          gained: textsOf(row?.gained),
          lost: textsOf(row?.lost),
        };
      },
      rows(after, upTo) {
        const row = rows.get(after, upTo);
        const count = Number(row?.n);
        return {
          count,
          seqs: integersOf(row?.seqs, count),
          wallets: integersOf(row?.wallets, count),
          points: integersOf(row?.points, count),
          badges: integersOf(row?.badges, count),
          timestamps: integersOf(row?.timestamps, count),
        };
      },
    }),
  };
}

function integersOf(bytes: unknown, count: number): Float64Array {
  const integers = new Float64Array(count);
  if (bytes instanceof Uint8Array) readIntegers(bytes, integers);
  return integers;
}

function textsOf(bytes: unknown): string[] {
  if (!(bytes instanceof Uint8Array)) return [];
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString()
    .split(String.fromCharCode(TEXT_END));
}
