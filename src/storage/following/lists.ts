import type { MaybePromise } from '#base';
import type { Row } from '#storage/sql/script';
import type { BatchName, LedgerPosition } from './position.ts';

/** The position up to which lists are read. */
export interface ListEnd {
  /** The newest ledger row. */
  readonly seq: number;
  /** A batch that certainly exists; anything beyond it is newer. */
  readonly newest: BatchName;
  /** Edition of rules, and the newest change of what they granted. */
  readonly edition: number;
  readonly change: number;
}

/** A copy of the current state, because the position keeps moving. */
export function listEndOf({ seq, newest, edition, change }: LedgerPosition): ListEnd {
  return { seq, newest, edition, change };
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
export interface ActivityPlace {
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
