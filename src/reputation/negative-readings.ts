import { type Elapsed, unadjustedElapsed } from '#base';

/**
 * How anything that depends on outside data is lowered or removed: only after several consecutive
 * negative readings, spread over an hour. A positive reading resets the count; an inconclusive one
 * changes nothing. After a day without a reading they start over: Fathom wasn't running, or the clock is
 * wrong since the start.
 */
export interface NegativeReadings {
  /** How many count. */
  readonly reads: number;
  /** Seconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Consecutive negative readings required. */
const READS_NEEDED = 3;
/** Seconds they must span. */
const READS_SPAN = 3_600;
/** Minimum seconds between two readings that count: more often is the same reading. */
const READS_APART = 1_200;
/** Most seconds between two that confirm each other. */
const READS_TOGETHER = 86_400;

/** Counts another negative reading. @returns the same object if it came too soon */
export function countNegative(
  before: NegativeReadings | undefined,
  now: number,
  elapsed: Elapsed = unadjustedElapsed,
): NegativeReadings {
  const first = { reads: 1, firstAt: now, lastAt: now };
  // If the clock was set back, the last one's age is unknown.
  if (before === undefined || now < before.lastAt) return first;
  const apart = elapsed(before.lastAt, now);
  if (apart < READS_APART) return before;
  if (apart > READS_TOGETHER) return first;
  return { reads: before.reads + 1, firstAt: before.firstAt, lastAt: now };
}

/** Whether there were enough, over long enough. */
export function isConfirmed(
  { reads, firstAt, lastAt }: NegativeReadings,
  elapsed: Elapsed = unadjustedElapsed,
): boolean {
  return reads >= READS_NEEDED && elapsed(firstAt, lastAt) >= READS_SPAN;
}
