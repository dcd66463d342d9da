import { wallSeconds } from '#base/time/clock';

/*
 * Chains must lie in the past, as real ones do: a hub counts no proposal that ends after the clock, and what is
 * dated far ahead waits. Nor may their end be over a day old, or answers are stale.
 */

/** Seconds since 1970, for a chain of minutes whose end is to be in the past at every hour of the day. */
export function hoursAgo(hours = 4): number {
  return wallSeconds() - hours * 3_600;
}

/** Seconds since 1970 of the midnight (UTC) that was last; for tests of what a day is over for. */
export function lastMidnight(): number {
  return Math.floor(wallSeconds() / 86_400) * 86_400;
}

/**
 * For chains without a hub beside them, whose last block may be some hours ahead of the clock but never a day old.
 * @returns seconds since 1970 of the midnight that is nearest to now, before or after it
 */
export function nearestMidnight(): number {
  return Math.round(wallSeconds() / 86_400) * 86_400;
}
