import { dateOf, UserError } from '#base';
import type { ScoreDay } from '#reputation/api-records';
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

/** Something that happened to a wallet, according to an import: evidence for the rules. */
export interface ImportedEvent {
  /** 16 characters, derived from wallet, name and source, which identify the event. */
  readonly id: string;
  readonly wallet: Wallet;
  /** The name that rules match. */
  readonly event: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Identifies the event at its origin. */
  readonly source: string;
  /** JSON of an object with sorted keys and only string values. */
  readonly args: string;
}

/** Maximum days of a history. */
export const HISTORY_MAX = 1_000;

/** Days since 1970-01-01, inclusive; undefined: unbounded. */
export interface DayRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/**
 * The closing scores of the UTC days on which a score changed, oldest first, including the day of
 * the first activity, before which there was no score.
 * @param points of the wallet's activities, each with its day since 1970-01-01, in any order; a day
 *   may occur several times
 * @returns the newest HISTORY_MAX in the range
 */
export function closingScores(
  points: Iterable<readonly [day: number, points: number]>,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: DayRange,
): ScoreDay[] {
  const sums = new Map<number, number>();
  for (const [day, sum] of points) sums.set(day, (sums.get(day) ?? 0) + sum);
  const days: ScoreDay[] = [];
  let total = 0;
  let shown: number | undefined;
  for (const [day, sum] of [...sums].sort(([one], [other]) => one - other)) {
    total += sum;
    const score = Math.max(0, total);
    if (score === shown) continue;
    shown = score;
    if (day >= from && day <= to) days.push({ day: dateOf(day), score });
  }
  return days.slice(-HISTORY_MAX);
}
