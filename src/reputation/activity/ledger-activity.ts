import { UserError } from '#base';
import type { Wallet } from '#wallet';

/** Cursors of `/v1/activities`: the public ids of activities. */
export const ACTIVITY_CURSOR_FORM = /^act_[A-Za-z0-9]{1,64}$/;

export function activityGone(): UserError {
  return new UserError(
    'cursor-gone',
    "The wallet doesn't have the activity that `after` names, or not any more: start over without `after`.",
  );
}

/** The content of an event, whose id and type are known. */
export interface ActivityContent {
  readonly description: string;
  /** Integer, may be negative. */
  readonly points: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Id of the badge that this activity earns, if any. The ledger must know it. */
  readonly badge: string | undefined;
}

/** Something that happened to a wallet, validated and ready for the ledger. */
export interface LedgerActivity extends ActivityContent {
  /** 16 characters; `act_` + these is the public id. Unique within a wallet. */
  readonly id: string;
  readonly wallet: Wallet;
  readonly type: string;
}

/**
 * What an activity of the ledger should have been. The ledger is append-only: it gets a row of type
 * `adjustment` with the difference in points, and records what that corrects.
 */
export interface LedgerCorrection extends ActivityContent {
  /** The correction's, in the same format and namespace as those of activities. */
  readonly id: string;
  readonly wallet: Wallet;
  /** Id of the activity. */
  readonly corrects: string;
  /** Why, human-readable. */
  readonly reason: string | undefined;
}

/** The type of an activity that corrects another one. */
export const ADJUSTMENT = 'adjustment';

const PUBLIC = 'act_';

/** The id that an activity has outside. */
export function publicId(id: string): string {
  return PUBLIC + id;
}

/** The id that is kept, of a public one; undefined for what is none. */
export function keptId(publicOne: string): string | undefined {
  return publicOne.startsWith(PUBLIC) ? publicOne.slice(PUBLIC.length) : undefined;
}
