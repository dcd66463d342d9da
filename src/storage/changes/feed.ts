import { formatTime, type MaybePromise, UserError } from '#base';
import { Turns } from '#base/process';
import {
  type ChangeEntry,
  type ChangeFeed,
  type ChangesPage,
  type ChangesQuery,
  CURSOR_FORM,
  type FeedRetention,
  type TierThresholds,
  tierOf,
  type WalletChange,
} from '#reputation';
import type { Standings } from '#reputation/standings';
import type { Follower } from '#storage/following/follow';
import type { ShownReads } from '#storage/following/lists';
import { type BatchName, NO_BATCH } from '#storage/following/position';
import { type Row, rows, run, type SqlScript } from '#storage/sql/script';
import { type ChangedWallet, unpackChanges } from './packed-changes.ts';

/** Starts at the oldest change that is kept. */
const OLDEST = '0';
/** Stands for the uid of an empty ledger. */
const NO_UID = '000000000000';

/**
 * A cursor: `BATCH-UID`, or `BATCH-UID-PLACE` for a place within the commit. The uid is random, so a cursor
 * never fits another history.
 */
interface ChangeCursor extends BatchName {
  /** How many entries of the commit were returned; undefined for all. */
  readonly place: number | undefined;
}

/**
 * @returns undefined for the oldest change that is kept
 * @throws UserError `invalid-parameter`
 */
function parseCursor(text: string): ChangeCursor | undefined {
  if (text === OLDEST) return undefined;
  const [, id, uid, place] = CURSOR_FORM.exec(text) ?? [];
  if (id === undefined || uid === undefined) {
    const message = 'Must be a cursor from an earlier response, or 0.';
    throw new UserError('invalid-parameter', `The cursor is malformed. ${message}`, [
      { parameter: 'after', message },
    ]);
  }
  return {
    id: Number(id),
    uid: id === '0' && uid === NO_UID ? NO_BATCH.uid : uid,
    place: place === undefined ? undefined : Number(place),
  };
}

/** @param place how many entries of the commit were returned; all by default */
export function formatCursor({ id, uid }: BatchName, place?: number): string {
  const name = `${id}-${id === 0 ? NO_UID : uid}`;
  return place === undefined ? name : `${name}-${place}`;
}

/** How many entries to look at per page: those filtered out take time, too. */
const LOOKED_AT = 20_000;

export interface FeedParts {
  readonly follower: Follower;
  readonly rows: ChangeRows;
  readonly thresholds: TierThresholds;
}

/** What a page reads. */
interface Shown {
  readonly batch: BatchName;
  /** The number of the last entry. */
  readonly to: number;
  readonly standings: Standings;
}

/** Ends at the newest batch that is shown completely, so that a change never appears before its score. */
export function createChangeFeed({ follower, rows, thresholds }: FeedParts): ChangeFeed {
  // One for all pages: of many that are read at once, only one part is unpacked in a turn of the event loop.
  const turns = new Turns();

  function whatIsShown(): { batch: BatchName; standings: Standings } {
    const { position, standings } = follower.shown;
    return { batch: position.complete, standings };
  }

  /** @returns the number of the last entry already returned, and what is shown */
  async function begin(
    cursor: ChangeCursor | undefined,
  ): Promise<{ from: number; shown: Shown } | 'gone'> {
    // The client may have read from a replica that is ahead.
    if (cursor !== undefined && cursor.id > whatIsShown().batch.id) await follower.catchUp();
    const { batch, standings } = whatIsShown();
    const row = await rows.start(batch, cursor?.id ?? 0);
    const pruned = Number(row?.pruned ?? 0);
    const shown = { batch, standings, to: Number(row?.shown_to ?? 0) };
    if (cursor === undefined) return { from: pruned, shown };
    const from = row === undefined ? undefined : placeOf(cursor, row);
    if (from === undefined || from < pruned) return 'gone';
    // Committed, but not shown here yet.
    return { from: Math.min(from, shown.to), shown };
  }

  async function read({ after, limit, chain }: ChangesQuery): Promise<ChangesPage | 'gone'> {
    const cursor = after === undefined ? undefined : parseCursor(after);
    if (after === undefined) return { changes: [], next: head(), hasMore: false };
    const begun = await begin(cursor);
    if (begun === 'gone') return 'gone';
    const { from, shown } = begun;
    if (cursor !== undefined && cursor.id > shown.batch.id) {
      return { changes: [], next: after, hasMore: false };
    }
    const changes: ChangeEntry[] = [];
    let told = from;
    let next = '';
    const most = Math.min(shown.to, from + LOOKED_AT);
    while (told < most && changes.length < limit) {
      // How many entries hold enough of one chain isn't known.
      const enough = chain === 'all' ? told + limit - changes.length : most;
      const parts = await rows.parts(shown.batch, told, Math.min(most, enough));
      const before = told;
      for (const part of parts) {
        if (told === most || changes.length === limit) break;
        // A client that goes through the feed page by page, and a page whose entries are mostly filtered out, leaves
        // others their turns, part by part: SQLite answers at once.
        await turns.next();
        const first = Number(part.first);
        if (first > told + 1) return missing(cursor);
        for (const [index, entry] of entriesOf(part, told + 1 - first, shown.standings)) {
          const number = first + index;
          if (number > most || changes.length === limit) break;
          told = number;
          const isOther =
            chain !== 'all' && 'wallet' in entry && shown.standings.chain(entry.wallet) !== chain;
          if (!isOther) changes.push(tell(entry, part, cursorOf(part, number), shown));
        }
        next = cursorOf(part, told);
      }
      if (told === before) return missing(cursor);
    }
    if (told === shown.to) return { changes, next: formatCursor(shown.batch), hasMore: false };
    return { changes, next, hasMore: true };
  }

  /** Entries that should be there were pruned meanwhile, or belong to a lost history. */
  async function missing(cursor: ChangeCursor | undefined): Promise<'gone'> {
    if (cursor === undefined || (await begin(cursor)) === 'gone') return 'gone';
    throw new Error('entries of the feed of changes are missing');
  }

  function tell(
    entry: ChangedWallet | RulesRow,
    { committed_at }: Row,
    cursor: string,
    { standings }: Shown,
  ): ChangeEntry {
    const at = formatTime(Number(committed_at));
    if (!('wallet' in entry)) return { cursor, rules: entry.rules, at };
    const { wallet, score, before, earned, isGone } = entry;
    const change: WalletChange = {
      cursor,
      address: standings.address(wallet),
      chain: standings.chain(wallet),
      score,
      tier: tierOf(score, thresholds),
      previousScore: before ?? null,
      previousTier: before === undefined ? null : tierOf(before, thresholds),
      badgesEarned: standings.badgeIds(earned),
      at,
      ...(isGone && { noActivity: true }),
    };
    return change;
  }

  function head(): string {
    return formatCursor(follower.shown.position.complete);
  }

  return { head, read, subscribe: (wake) => follower.subscribe(wake) };
}

interface RulesRow {
  readonly rules: { name: string; version: number; hash: string };
}

/** @param from index of the first entry that counts */
function* entriesOf(
  row: Row,
  from: number,
  standings: Standings,
): Generator<[index: number, entry: ChangedWallet | RulesRow]> {
  const { name, version, hash } = row;
  if (name != null) {
    yield [0, { rules: { name: String(name), version: Number(version), hash: String(hash) } }];
    return;
  }
  const all = unpackChanges({ count: Number(row.count), bytes: row.changes as Uint8Array });
  for (let index = Math.max(0, from); index < all.length; index++) {
    const entry = all[index] as ChangedWallet;
    if (!standings.has(entry.wallet)) throw new Error(`a change has an unknown wallet`);
    yield [index, entry];
  }
}

/** @returns the number of the last entry already returned; undefined if the commit isn't known */
function placeOf({ id, uid, place }: ChangeCursor, row: Row): number | undefined {
  if (id < Number(row.since)) return undefined;
  if (id === 0) return 0;
  if (row.asked_uid !== uid) return undefined;
  const [from, to] = [Number(row.asked_from), Number(row.asked_to)];
  if (place === undefined) return to;
  return from + place > to ? undefined : from + place;
}

function cursorOf({ id, uid, base }: Row, number: number): string {
  return formatCursor({ id: Number(id), uid: String(uid) }, number - Number(base));
}

/** Queries about the feed of changes. @throws RetryableError */
export interface ChangeRows {
  /**
   * `START_SQL` for two batches.
   * @param shown a batch that must exist, otherwise it throws a RetryableError
   */
  start(shown: BatchName, asked: number): MaybePromise<Row | undefined>;
  /** `PARTS_SQL`: the parts with entries after one number, up to another. */
  parts(shown: BatchName, after: number, upTo: number): MaybePromise<readonly Row[]>;
}

/** Parts per query: a small commit's part holds one entry, an import's a thousand. */
const PARTS = 100;

/**
 * SQL: the number of the last entry of the batch that is shown ($1), the same for another batch ($2), and the
 * first entry that is kept.
 */
const START_SQL = `
  SELECT coalesce((SELECT changes FROM batch WHERE id = $1), 0) AS shown_to,
         (SELECT uid FROM batch WHERE id = $2) AS asked_uid,
         coalesce((SELECT changes FROM batch WHERE id = $2), 0) AS asked_to,
         coalesce((SELECT changes FROM batch WHERE id = $2 - 1), 0) AS asked_from,
         coalesce((SELECT since FROM change_floor), 0) AS since,
         coalesce((SELECT pruned FROM change_floor), 0) AS pruned`;

/** SQL: the parts with entries after one number ($1), up to another ($2). */
const PARTS_SQL = `
  SELECT part.first, part.count, part.changes, batch.id, batch.uid, batch.committed_at,
         coalesce((SELECT changes FROM batch AS before WHERE before.id = part.batch - 1), 0) AS base,
         edition.name, edition.version, edition.hash
  FROM change_part AS part
  JOIN batch ON batch.id = part.batch
  LEFT JOIN edition ON edition.number = part.edition
  WHERE part.first <= $2 AND part.first >= coalesce(
    (SELECT max(first) FROM change_part WHERE first <= $1 + 1), 0
  )
  ORDER BY part.first LIMIT ${PARTS}`;

export function createChangeRows({ ask }: ShownReads): ChangeRows {
  return {
    async start(shown, asked) {
      const [row] = await ask(START_SQL, [shown.id, asked], shown);
      return row;
    },
    parts: (shown, after, upTo) => ask(PARTS_SQL, [after, upTo], shown),
  };
}

/** Parts to remove per transaction, which takes milliseconds. */
const PRUNED_AT_ONCE = 100;

/** SQL: the oldest parts, and the number of the newest entry. */
const OLDEST_SQL = `
  SELECT part.first, part.count, batch.committed_at,
         (SELECT changes FROM batch ORDER BY id DESC LIMIT 1) AS newest
  FROM change_part AS part JOIN batch ON batch.id = part.batch
  ORDER BY part.first LIMIT ${PRUNED_AT_ONCE}`;

/** SQL: removes the parts up to an entry ($1), and records it. */
const DROP_SQL = 'DELETE FROM change_part WHERE first <= $1';
const NOTE_SQL = `
  INSERT INTO change_floor (since, pruned)
  VALUES (coalesce((SELECT since FROM change_floor), 0), $1)
  ON CONFLICT (since) DO UPDATE SET pruned = excluded.pruned
  WHERE change_floor.pruned < excluded.pruned`;

/**
 * @param oldest rows of `OLDEST_SQL`
 * @param now seconds since 1970
 * @returns the number of the last entry to remove; undefined if there's none
 */
export function lastToPrune(oldest: readonly Row[], { age, count }: FeedRetention, now: number) {
  let last: number | undefined;
  for (const { first, count: changes, committed_at, newest } of oldest) {
    const end = Number(first) + Number(changes) - 1;
    const at = Number(committed_at);
    if (at < now - age || end <= Number(newest) - count) last = end;
    // What is dated later than now, by a clock that was ahead, is as old as what follows it. What is dated
    // too early, by a clock that was behind, doesn't make older what was committed before it.
    else if (at <= now) break;
  }
  return { last, isAll: oldest.length < PRUNED_AT_ONCE };
}

/** Removes some changes, in a transaction. @returns whether there may be more */
export function* pruneFeed(kept: FeedRetention, now: number): SqlScript<boolean> {
  const { last, isAll } = lastToPrune(yield* rows(OLDEST_SQL), kept, now);
  if (last === undefined) return false;
  yield* run(DROP_SQL, [last]);
  yield* run(NOTE_SQL, [last]);
  return !isAll;
}
