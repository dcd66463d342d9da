import { isEntry, type Rule } from '#gating/rules/rule';
import { TIERS } from '#reputation';
import type { GrantOwnership, GrantStep } from './grant.ts';

/**
 * How a change belongs to a move between two roles of a ladder. Up: they have qualified for a higher one.
 * Down: they no longer qualify for theirs, but for a lower one.
 */
export interface LadderMove {
  readonly way: 'up' | 'down';
  /** The role that comes for this one, or goes for it. It must be there before this one is taken. */
  readonly other: string;
}

/** A role of a ladder, as far as it concerns one member. */
export interface Rung {
  readonly role: string;
  /** Place in TIERS: the highest tier is 0. */
  readonly place: number;
  /** Whether they meet an active rule for it. */
  readonly isMet: boolean;
  readonly ownership: GrantOwnership;
  /** Whether they're due for it, but the platform refuses it to them for now. */
  readonly isRefused: boolean;
  /** What the rules for this role alone would do. */
  readonly step: GrantStep | undefined;
}

/** What the ladder makes of a role's step. */
export interface RungStep {
  readonly step: GrantStep | undefined;
  readonly move: LadderMove | undefined;
  /** They qualify for a higher role, which they have or get. */
  readonly isPassed: boolean;
  /** They no longer qualify for a higher role, which they keep for now: this one comes before it goes. */
  readonly isLater?: boolean;
}

/**
 * The roles of a ladder, by their place in TIERS: those that rules give for a tier alone. A role that another
 * rule gives as well stands beside it.
 */
export function rungsOf(rules: readonly Rule[]): ReadonlyMap<string, number> {
  const rungs = new Map<string, number>();
  for (const [role, ofRole] of Map.groupBy(rules, ({ grant }) => grant)) {
    const places = ofRole.map(placeOf);
    if (places.every((place) => place !== undefined)) rungs.set(role, Math.max(...places));
  }
  return rungs;
}

const NO_RUNGS: ReadonlyMap<string, number> = new Map();

/** The rungs of a community; none if its roles are no ladder. */
export function rungsIf(
  isLadder: boolean | undefined,
  rules: readonly Rule[],
): ReadonlyMap<string, number> {
  return isLadder === true ? rungsOf(rules) : NO_RUNGS;
}

function placeOf(rule: Rule): number | undefined {
  const { requirements, chain, bounds = [] } = rule;
  const [first, ...others] = requirements;
  const isAlone = others.length + bounds.length === 0 && chain === undefined && !isEntry(rule);
  return isAlone && first?.kind === 'tier' ? TIERS.indexOf(first.tier) : undefined;
}

/**
 * Of the roles that a member qualifies for, the highest one alone is given, and ours below it go at once: members
 * who rise lose nothing. While they have one of ours that they may lose, that one is the only one; once it's
 * to be taken, the next one is given first. What somebody else gave stays.
 * @param isSafe whether nothing is ever taken from them
 * @param resting the place of the highest role that they have by paused rules alone: nothing below it comes
 */
export function climb(
  rungs: readonly Rung[],
  isSafe: boolean,
  resting = Number.POSITIVE_INFINITY,
): ReadonlyMap<string, RungStep> {
  const steps = new Map<string, RungStep>();
  const isBelow = ({ place, isMet, ownership }: Rung) =>
    place > resting && isMet && ownership === 'none';
  for (const { role } of rungs.filter(isBelow)) {
    steps.set(role, { step: undefined, move: undefined, isPassed: true });
  }
  const open = rungs.filter((rung) => !isBelow(rung));
  const within = open.filter(
    ({ isMet, ownership, step }) => isMet && (ownership !== 'none' || step === 'give'),
  );
  const place = Math.min(...within.map((rung) => rung.place));
  const tops = within.filter((rung) => rung.place === place);
  const [top] = tops.toSorted(
    (a, b) => Number(a.ownership === 'none') - Number(b.ownership === 'none'),
  );
  if (top === undefined) {
    return open.some((rung) => rung.isRefused) ? waiting(open, steps) : steps;
  }
  const leaving = open.filter((rung) => rung.place < place && rung.ownership === 'ours');
  const isWaiting = leaving.some(({ step }) => step !== 'take');
  const [below] = open.filter(
    (rung) => rung.place > place && rung.ownership === 'ours' && rung.isMet,
  );
  for (const { role, place: own, isMet, ownership, step } of open) {
    if (own > place) {
      const goes = isMet && ownership === 'ours' && !isSafe;
      steps.set(role, {
        step: goes ? 'take' : step === 'give' ? undefined : step,
        move: goes ? { way: 'up', other: top.role } : undefined,
        isPassed: isMet,
      });
    } else if (own === place && step === 'give') {
      const [left] = leaving;
      const move =
        left === undefined
          ? below && ({ way: 'up', other: below.role } as const)
          : ({ way: 'down', other: left.role } as const);
      const now = isWaiting ? undefined : step;
      steps.set(role, { step: now, move, isPassed: false, isLater: left !== undefined });
    } else if (own < place && step === 'take') {
      steps.set(role, { step, move: { way: 'down', other: top.role }, isPassed: false });
    }
  }
  return steps;
}

/** Nobody loses their role for want of the one that would replace it. */
function waiting(
  rungs: readonly Rung[],
  steps: ReadonlyMap<string, RungStep>,
): ReadonlyMap<string, RungStep> {
  const kept: RungStep = { step: undefined, move: undefined, isPassed: false };
  const taken = rungs.filter(({ step }) => step === 'take');
  return new Map<string, RungStep>([...steps, ...taken.map(({ role }) => [role, kept] as const)]);
}
