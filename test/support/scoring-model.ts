import type { EvidenceEvent } from '#scoring/fold/event';
import type { RuleSet } from '#scoring/model';

/**
 * The rules of scoring.md, said as plainly as possible: nothing is remembered from day to day, every day is
 * computed from all events. Slow, and therefore easy to compare with the page.
 */

export const DAY = 86_400;

/** The first days of the months of some years. */
const MONTHS = Array.from({ length: 60 }, (_, month) => Date.UTC(2023, month, 1) / 1000 / DAY);

interface Discounting {
  readonly factor: number;
  readonly until: number | undefined;
}

/** One activity that a rule gave. */
export interface ModelActivity {
  readonly day: number;
  /** The day from which it counts. */
  readonly step: number;
  readonly worth: number;
  /** After the cap. */
  readonly base: number;
}

/** 2^(−days/halfLife) of points, rounded down, with integers only: the largest k with k^h·2^d ≤ p^h. */
export function exactRemaining(points: number, days: number, halfLife: number): number {
  const key = `${points}/${days}/${halfLife}`;
  const known = REMAINING.get(key);
  if (known !== undefined) return known;
  const left = exactly(points, days, halfLife);
  REMAINING.set(key, left);
  return left;
}

const REMAINING = new Map<string, number>();

function exactly(points: number, days: number, halfLife: number): number {
  const right = BigInt(points) ** BigInt(halfLife);
  let low = 0n;
  let high = BigInt(points);
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if ((middle ** BigInt(halfLife)) << BigInt(days) <= right) low = middle;
    else high = middle - 1n;
  }
  return Number(low);
}

/** What an activity counts for after the step at `midnight`. */
export function countsFor(
  activity: ModelActivity,
  discounts: readonly Discounting[],
  halfLife: number | undefined,
  midnight: number,
): number {
  const { day, step, base } = activity;
  let points = base;
  if (base > 0) {
    for (const { factor, until } of discounts) {
      const isOver = until !== undefined && Math.max(day, step, midnight) >= until;
      if (!isOver) points = Number((BigInt(points) * BigInt(factor)) / 1000n);
    }
  }
  if (halfLife === undefined || base <= 0) return points;
  const months = MONTHS.findLast((each) => each > Math.max(day, step) && each <= midnight);
  return months === undefined ? points : exactRemaining(points, months - day, halfLife);
}

/** What an event is worth under a rule with fixed points or points by `amount`. */
export function worthOf(rule: RuleSet['rules'][number], event: EvidenceEvent): number {
  const { points } = rule.give;
  if (points.kind === 'fixed') return points.points;
  const value = event.args.get(points.argument);
  const isInteger = typeof value === 'bigint' || (typeof value === 'string' && /^\d+$/.test(value));
  const amount = isInteger ? BigInt(value) : 0n;
  const worth = (amount / points.per) * points.each;
  return Number(points.most !== undefined && worth > points.most ? points.most : worth);
}

/** What the cap leaves of each worth, in order. */
export function capped(
  rule: RuleSet['rules'][number],
  worths: readonly { readonly worth: number; readonly day: number }[],
): number[] {
  const { cap } = rule.give;
  const given = new Map<number, number>();
  return worths.map(({ worth, day }) => {
    if (cap === undefined || worth <= 0) return worth;
    const window = cap.days === undefined ? 0 : Math.floor(day / cap.days);
    const before = given.get(window) ?? 0;
    const points = Math.min(worth, cap.points - before);
    given.set(window, before + points);
    return points;
  });
}
