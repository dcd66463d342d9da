import { dateOf } from '#base';
import type { ScoreDay } from '#reputation/api-records';

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
