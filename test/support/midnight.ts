import { wallSeconds } from '#core/clock';

/**
 * For chains whose last block must be neither old nor ahead of the clock, and that test what a day is over for.
 * @returns seconds since 1970 of the midnight that is nearest to now, before or after it
 */
export function nearestMidnight(): number {
  return Math.round(wallSeconds() / 86_400) * 86_400;
}
