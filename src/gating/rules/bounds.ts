import { isExcluded, type Requirement } from '#gating/requirements/index';
import { type Reputation, TIERS, type TierThresholds } from '#reputation';
import type { Rule } from './rule.ts';

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

/**
 * Whether a rule's bounds exclude everybody who has what it asks for.
 * @param thresholds by which points are compared with tiers. That holds for now alone, as the operator may choose
 *   others; without them they aren't compared
 */
export function isImpossible(
  { requirements, match, bounds = [] }: Rule,
  thresholds?: TierThresholds,
): boolean {
  const isOut = (each: Requirement) => bounds.some((bound) => isExcluded(each, bound, thresholds));
  return match === 'all' ? requirements.some(isOut) : requirements.every(isOut);
}
