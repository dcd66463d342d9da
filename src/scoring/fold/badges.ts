import { DAY_SECONDS, dateOf, dayOf } from '#base';
import type { BadgeNeed, RuleBadge } from '#scoring/model';
import type { Wallet } from '#wallet';
import type { ScoredRow } from './event.ts';

/** A badge's rows, and when the next one follows if nothing else happens. */
export interface BadgeEvaluation {
  readonly rows: readonly ScoredRow[];
  /** The day whose midnight brings the next row; undefined: none does. */
  readonly due: number | undefined;
}

/**
 * The badges that a wallet earns and loses through the sums of its rows. Each day is judged at its
 * end, with all rows written during it.
 * @param rows of all rules, in any order
 * @param until the midnight up to which days are judged, as the day that it begins
 */
export function evaluateBadges(
  badges: readonly RuleBadge[],
  wallet: Wallet,
  rows: readonly ScoredRow[],
  until: number,
): BadgeEvaluation {
  const badgeRows: ScoredRow[] = [];
  let due: number | undefined;
  for (const { definition, need, isKeptWhile } of badges) {
    if (need === undefined) continue;
    let isEarned = false;
    for (const [day, isMet] of metOn(need, rows)) {
      if (isMet === isEarned || (isEarned && !isKeptWhile)) continue;
      if (day >= until) {
        due = earlier(due, day + 1);
        break;
      }
      isEarned = isMet;
      badgeRows.push(badgeRow(definition.id, definition.name, wallet, day + 1, isMet));
    }
  }
  return { rows: badgeRows, due };
}

/** The earlier of two days; undefined is never. */
export function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

/** Days on which something changes, in order, with whether the condition is met at their end. */
function metOn(need: BadgeNeed, rows: readonly ScoredRow[]): [day: number, isMet: boolean][] {
  const changes = new Map<number, number>();
  const change = (day: number, by: number) => changes.set(day, (changes.get(day) ?? 0) + by);
  for (const row of rows) {
    if (need.kind === 'score') {
      change(row.step, row.points);
      continue;
    }
    if (row.type !== need.type || row.isRetracted) continue;
    // A payment is dated to the midnight after its day, but belongs to the day.
    const leaves = Math.min(row.step, dayOf(row.timestamp)) + (need.withinDays ?? Infinity);
    if (leaves <= row.step) continue;
    change(row.step, 1);
    if (leaves !== Infinity) change(leaves, -1);
  }
  let sum = 0;
  return [...changes]
    .sort(([one], [other]) => one - other)
    .map(([day, by]) => {
      sum += by;
      return [day, need.kind === 'score' ? sum >= need.score : sum >= need.count];
    });
}

function badgeRow(
  id: string,
  name: string,
  wallet: Wallet,
  midnight: number,
  isEarned: boolean,
): ScoredRow {
  return {
    rule: id,
    // No rule id begins with this character, so no rule's row can have this name.
    source: `@${id}:${dateOf(midnight)}`,
    wallet,
    type: isEarned ? 'badge_earned' : 'badge_lost',
    description: name,
    points: 0,
    timestamp: midnight * DAY_SECONDS,
    step: midnight,
    badge: id,
    capped: 0,
    discounted: 0,
    decayed: 0,
  };
}
