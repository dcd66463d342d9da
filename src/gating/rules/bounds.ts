import { type Reputation, TIERS } from '#reputation';
import type { Requirement, Rule, UpperBound } from './rule.ts';

export function isBounded({ bounds = [] }: Pick<Rule, 'bounds'>): boolean {
  return bounds.length > 0;
}

/** Whether a wallet exceeds what the rule allows. */
export function isBeyond(
  { bounds = [] }: Pick<Rule, 'bounds'>,
  record: Pick<Reputation, 'tier' | 'score'> | undefined,
): boolean {
  if (record === undefined) return false;
  return bounds.some((bound) =>
    bound.kind === 'below'
      ? TIERS.indexOf(record.tier) <= TIERS.indexOf(bound.tier)
      : record.score > bound.score,
  );
}

/** Whether a rule's bounds exclude everybody who has what it asks for. */
export function isImpossible({ requirements, match, bounds = [] }: Rule): boolean {
  const isExcluded = (each: Requirement) => bounds.some((bound) => excludes(bound, each));
  return match === 'all' ? requirements.some(isExcluded) : requirements.every(isExcluded);
}

/** Points and tiers aren't compared: which points make a tier is the operator's choice. */
function excludes(bound: UpperBound, requirement: Requirement): boolean {
  if (bound.kind === 'most') return requirement.kind === 'score' && requirement.least > bound.score;
  return (
    requirement.kind === 'tier' && TIERS.indexOf(requirement.tier) <= TIERS.indexOf(bound.tier)
  );
}
