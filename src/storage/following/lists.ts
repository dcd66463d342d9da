import type { MaybePromise } from '#base';
import type { Row } from '#storage/sql/script';
import type { BatchName, LedgerPosition } from './position.ts';

/** The position up to which lists are read. */
export interface ListEnd {
  /** The newest ledger row. */
  readonly seq: number;
  /** A batch that certainly exists; anything beyond it is newer. */
  readonly newest: BatchName;
  /** Score version, and the newest change of what they granted. */
  readonly edition: number;
  readonly change: number;
}

/** A copy of the current state, because the position keeps moving. */
export function listEndOf({ seq, newest, edition, change }: LedgerPosition): ListEnd {
  return { seq, newest, edition, change };
}

/** Queries about what is shown. */
export interface ShownReads {
  /**
   * @param since a batch that must exist where history counts
   * @throws RetryableError if nobody answers, or if the batch no longer exists
   */
  ask(sql: string, values: readonly unknown[], since: BatchName): MaybePromise<readonly Row[]>;
}

/** Lists too long to hold in memory. @throws RetryableError */
export interface LongLists {
  /**
   * The newest activities after a place.
   * @param count how many the wallet has
   */
  activities(
    wallet: number,
    count: number,
    limit: number,
    end: ListEnd,
    after?: ActivityPlace,
  ): MaybePromise<readonly Row[]>;
  /** The time of a wallet's activity as a row of `timestamp`; none if it doesn't have it. */
  timeOf(wallet: number, id: string, end: ListEnd): MaybePromise<readonly Row[]>;
  /**
   * A badge's holders, newest first: rows of `wallet`, `earned_at`, and `other_at` if it was earned in two
   * ways. The database may be ahead of what is shown, so some may not have it there.
   */
  holders(query: HoldersQuery, end: ListEnd): MaybePromise<readonly Row[]>;
}

/** Where a list of activities goes on, newest first. */
interface ActivityPlace {
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly id: string;
}

/** Before all activities. */
export const NEWEST: ActivityPlace = { timestamp: Number.MAX_SAFE_INTEGER, id: '' };

/** One page of a badge's holders; wallets and badges by their numbers in the store. */
interface HoldersQuery {
  readonly badge: number;
  readonly limit: number;
  /** The last holder of the previous page: seconds since 1970, and a wallet. */
  readonly after: { readonly earnedAt: number; readonly wallet: number };
}

/**
 * The holders of a badge ($1), newest first, after a place in that order ($2 time, $3 wallet): by the ledger
 * up to a row ($4), and by a score version ($5). Wallets that earned it both ways come twice, each time with the
 * other time. Both halves start reading their index at that place, so every page costs the same ($6 rows).
 */
const HOLDERS_SQL = `
  SELECT wallet, earned_at, other_at FROM (
    SELECT * FROM (
      SELECT wallet, earned_at,
             (SELECT min(other.earned_at) FROM scored_badge AS other
              WHERE other.edition = $5 AND other.wallet = own.wallet AND other.badge = $1) AS other_at
      FROM award AS own
      WHERE badge = $1 AND (earned_at, wallet) < ($2, $3) AND seq <= $4
      ORDER BY earned_at DESC, wallet DESC LIMIT $6) AS imported
    UNION ALL
    SELECT * FROM (
      SELECT wallet, earned_at,
             (SELECT min(other.earned_at) FROM award AS other
              WHERE other.wallet = own.wallet AND other.badge = $1 AND other.seq <= $4) AS other_at
      FROM scored_badge AS own
      WHERE edition = $5 AND badge = $1 AND (earned_at, wallet) < ($2, $3)
      ORDER BY earned_at DESC, wallet DESC LIMIT $6) AS scored) AS holders
  ORDER BY earned_at DESC, wallet DESC LIMIT $6`;

const TIME_SQL = `
  SELECT timestamp FROM activity WHERE wallet = $1 AND id = $2 AND seq + 0 <= $3
  UNION ALL
  SELECT timestamp FROM scored
  WHERE edition = $4 AND wallet = $1 AND id = $2 AND born <= $5 AND (gone IS NULL OR gone > $5)
  LIMIT 1`;

/** @param activities differs by database, for the sake of speed */
export function createLists({ ask }: ShownReads, activities: LongLists['activities']): LongLists {
  return {
    activities,
    holders: ({ badge, limit, after }, { seq, newest, edition }) =>
      ask(HOLDERS_SQL, [badge, after.earnedAt, after.wallet, seq, edition, limit], newest),
    timeOf: (wallet, id, { seq, newest, edition, change }) =>
      ask(TIME_SQL, [wallet, id, seq, edition, change], newest),
  };
}

/**
 * The newest rows of imports and of what rules gave, merged.
 * @param rows newest first within each of the two
 */
export function newestOfBoth(
  imported: readonly Row[],
  scored: readonly Row[],
  limit: number,
): readonly Row[] {
  if (scored.length === 0) return imported;
  const byId = (one: Row, other: Row) => (String(one.id) < String(other.id) ? -1 : 1);
  return [...imported, ...scored]
    .sort((one, other) => Number(other.timestamp) - Number(one.timestamp) || byId(one, other))
    .slice(0, limit);
}
