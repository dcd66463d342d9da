import type { Wallet } from './wallet.ts';

/** What an event of a known id and type was. */
export interface ActivityContent {
  readonly description: string;
  /** Integer, may be negative. */
  readonly points: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Id of the badge that this activity earns, if any. It must be known to the ledger. */
  readonly badge: string | undefined;
}

/** Something that happened to a wallet, checked and ready for the ledger. */
export interface LedgerActivity extends ActivityContent {
  /** 16 characters; `act_` + these is the public id. Unique within a wallet. */
  readonly id: string;
  readonly wallet: Wallet;
  readonly type: string;
}

/**
 * What an activity of the ledger should have been. The ledger only grows: it gets a row of type
 * `adjustment` with the difference in points, and notes what that corrects.
 */
export interface LedgerCorrection extends ActivityContent {
  /** Of the correction, in the same form and space as those of activities. */
  readonly id: string;
  readonly wallet: Wallet;
  /** Id of the activity. */
  readonly corrects: string;
  /** Why, for people. */
  readonly reason: string | undefined;
}

/** The type of an activity that corrects others. */
export const ADJUSTMENT = 'adjustment';
