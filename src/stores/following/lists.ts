import type { MaybePromise } from '#core/maybe-promise';
import type { Row } from '#stores/sql/script';
import type { BatchName, LedgerPosition } from './position.ts';

/** Up to where lists are read. */
export interface ListEnd {
  /** The newest ledger row. */
  readonly seq: number;
  /** A batch that is there for certain; what else is there is newer. */
  readonly newest: BatchName;
  /** Edition of rules, and the newest change of what they gave. */
  readonly edition: number;
  readonly change: number;
}

/** What is in by now, for the position goes on. */
export function listEndOf({ seq, newest, edition, change }: LedgerPosition): ListEnd {
  return { seq, newest, edition, change };
}

export interface AwardRows {
  /** `badge` and `earned_at`. */
  readonly rows: readonly Row[];
  /**
   * Uid of the newest batch that was there. A later award of the same badge may have an earlier
   * time, which then stands in the row of the first.
   */
  readonly newest: string | undefined;
}

/** Lists that are too long to be held in memory. @throws RetryableError */
export interface Lists {
  /** Awards that were made up to a row of the ledger. */
  awards(wallet: number, end: ListEnd): MaybePromise<AwardRows>;
  /** The newest activities. @param count how many the wallet has */
  activities(
    wallet: number,
    count: number,
    limit: number,
    end: ListEnd,
  ): MaybePromise<readonly Row[]>;
}
