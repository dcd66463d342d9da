import { type Elapsed, unadjustedElapsed } from '#core/clock';

/**
 * How anything is lowered or taken away, wherever that depends on outside data: only after several
 * negative readings in a row, spread over an hour. A reading that is positive ends the row; one that
 * says nothing neither adds to it nor ends it.
 */
export interface NegativeReadings {
  /** How many of them count. */
  readonly reads: number;
  /** Seconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Negative readings in a row that it takes. */
const READS_NEEDED = 3;
/** Seconds that these must span in all. */
const READS_SPAN = 3_600;
/** Seconds between two readings that count: more often is the same reading again. */
const READS_APART = 1_200;

/** Counts one more negative reading. @returns the same object if it came too soon to count */
export function countNegative(
  before: NegativeReadings | undefined,
  now: number,
  elapsed: Elapsed = unadjustedElapsed,
): NegativeReadings {
  // Where the clock was set back, how long ago the last one was is not known: it begins anew.
  if (before === undefined || now < before.lastAt) return { reads: 1, firstAt: now, lastAt: now };
  if (elapsed(before.lastAt, now) < READS_APART) return before;
  return { reads: before.reads + 1, firstAt: before.firstAt, lastAt: now };
}

/** Whether there were enough of them, over long enough. */
export function isConfirmed(
  { reads, firstAt, lastAt }: NegativeReadings,
  elapsed: Elapsed = unadjustedElapsed,
): boolean {
  return reads >= READS_NEEDED && elapsed(firstAt, lastAt) >= READS_SPAN;
}
