import { CORRECTED_SQL } from '#storage/corrections';
import { BADGES_A_PAGE } from '#storage/define-badges';
import { CHAINS_MAX } from '#storage/fill-standings';
import { type BatchName, NO_BATCH } from '#storage/following/position';
import type { AwardRow, LedgerHead, LedgerSnapshot } from '#storage/following/snapshot';
import type { Row } from '#storage/sql/script';
import { integersOf, packed, packedTexts, unpackTexts } from './packed-sql.ts';

/** Rows per fetch; reading what has come of one delays requests by a tenth of a millisecond. */
const STEP = 250;
/** Batches per page. */
const BATCHES = 100;

const AWARDS_SQL = `
  SELECT wallet, badge, earned_at FROM award WHERE wallet = ANY($1)
  UNION ALL
  SELECT wallet, badge, earned_at FROM scored_badge WHERE edition = $2 AND wallet = ANY($1)`;

/** Runs a statement in a transaction that sees one snapshot. */
export type RunQuery = (sql: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/**
 * Returns how much data there is, and a batch's uid. Takes no values, so that it can be sent along
 * with others.
 */
export function headSql(known: BatchName): string {
  return `
    SELECT newest.id, newest.uid, (SELECT uid FROM batch WHERE id = ${known.id}) AS known_uid,
           (SELECT max(id) FROM wallet) AS wallets, (SELECT max(revision) FROM badge) AS badges,
           (SELECT max(revision) FROM name) AS names,
           (SELECT number FROM edition WHERE state = 'live') AS edition,
           (SELECT max(number) FROM scored_change) AS changes
    FROM (SELECT) AS one
    LEFT JOIN (SELECT id, uid FROM batch ORDER BY id DESC LIMIT 1) AS newest ON true`;
}

/** From a row with the newest batch, or with nulls if there is none. */
export function batchNameOf({ id, uid }: Row): BatchName {
  return id == null ? NO_BATCH : { id: Number(id), uid: String(uid) };
}

export function headOf(row: Row): LedgerHead {
  const count = (name: string) => Number(row[name] ?? 0);
  return {
    newest: batchNameOf(row),
    wallets: count('wallets'),
    badges: count('badges'),
    names: count('names'),
    edition: count('edition'),
    changes: count('changes'),
  };
}

/** The ledger as a transaction sees it. */
export function snapshotOf(ask: RunQuery, head: LedgerHead): LedgerSnapshot {
  return {
    head,
    async wallets(after) {
      const [row] = await ask(
        `SELECT count(*) AS n, max(id) AS last, ${packed(`id::bigint * ${CHAINS_MAX} + chain`)} AS pairs,
                ${packedTexts('address')} AS addresses
         FROM (SELECT id, chain, address FROM wallet WHERE id > $1 ORDER BY id LIMIT ${STEP}) AS page`,
        [after],
      );
      const count = Number(row?.n);
      const pairs = integersOf(row?.pairs, count);
      return { count, pairs, addresses: unpackTexts(row?.addresses), last: Number(row?.last) };
    },
    badges: (after, above) =>
      ask(
        `SELECT * FROM badge WHERE revision > $1 AND number > $2
         ORDER BY number LIMIT ${BADGES_A_PAGE}`,
        [after, above],
      ),
    async names(afterBatch, afterWallet) {
      const [row] = await ask(
        `SELECT count(*) AS n, max(revision) AS revision, ${packed('wallet')} AS wallets,
                ${packedTexts('display_name')} AS names
         FROM (
           SELECT revision, wallet, display_name FROM name WHERE (revision, wallet) > ($1, $2)
           ORDER BY revision, wallet LIMIT ${STEP}
         ) AS page`,
        [afterBatch, afterWallet],
      );
      const count = Number(row?.n);
      return {
        count,
        wallets: integersOf(row?.wallets, count),
        names: unpackTexts(row?.names),
        revision: Number(row?.revision),
        isLast: count < STEP,
      };
    },
    async batches(after) {
      const rows = await ask(
        `SELECT id, uid, last_seq, committed_at FROM batch WHERE id > $1 ORDER BY id LIMIT ${BATCHES}`,
        [after],
      );
      return rows.map((row) => ({
        ...batchNameOf(row),
        lastSeq: Number(row.last_seq),
        committedAt: Number(row.committed_at),
      }));
    },
    corrected: ({ id, lastSeq }, after) => ask(CORRECTED_SQL, [id, lastSeq, after, STEP]),
    async awards(wallets) {
      const rows = await ask(AWARDS_SQL, [wallets, head.edition]);
      const awards = rows.map(
        (row): AwardRow => [Number(row.wallet), Number(row.badge), Number(row.earned_at)],
      );
      return { awards, newest: head.newest.id };
    },
    async changes({ id }, after) {
      const [row] = await ask(
        `SELECT count(*) AS n, ${packed('number')} AS numbers, ${packed('wallet')} AS wallets,
                ${packed('points')} AS points, ${packed('activities')} AS activities,
                ${packedTexts('gained')} AS gained, ${packedTexts('lost')} AS lost
         FROM (SELECT number, wallet, points, activities, gained, lost FROM scored_change
               WHERE batch = $1 AND number > $2 ORDER BY number LIMIT ${STEP}) AS page`,
        [id, after],
      );
      const count = Number(row?.n);
      return {
        count,
        numbers: integersOf(row?.numbers, count),
        wallets: integersOf(row?.wallets, count),
        points: integersOf(row?.points, count),
        activities: integersOf(row?.activities, count),
        gained: unpackTexts(row?.gained),
        lost: unpackTexts(row?.lost),
      };
    },
    async rows(after, upTo) {
      const [row] = await ask(
        `SELECT count(*) AS n, ${packed('seq')} AS seqs, ${packed('wallet')} AS wallets,
                ${packed('points')} AS points, ${packed('coalesce(badge, 0)')} AS badges,
                ${packed('timestamp')} AS timestamps
         FROM (SELECT seq, wallet, points, badge, timestamp FROM activity
               WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT ${STEP}) AS page`,
        [after, upTo],
      );
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
  };
}
