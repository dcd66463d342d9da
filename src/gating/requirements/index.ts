import type { ArgumentsOf, OptionSpec } from '#command';
import type { RatedWallet } from '#gating/decide/counted-wallets';
import type { TierThresholds } from '#reputation';
import { badgeRequirement } from './badge.ts';
import type { Compared, KnownWallet, Measure, RequirementKind, UpperBound } from './kind.ts';
import { scoreRequirement } from './score.ts';
import { tierRequirement } from './tier.ts';
import { topRequirement } from './top.ts';

/**
 * What rules can ask for, by kind. To add one, add a file and a line here, and its option at the end of those
 * in `commands/gating/gate.ts`, for buttons carry them in their order.
 */
export const REQUIREMENTS = {
  tier: tierRequirement,
  score: scoreRequirement,
  badge: badgeRequirement,
  top: topRequirement,
};

type Kinds = typeof REQUIREMENTS;
type KindName = keyof Kinds;

/** What a wallet must be or have. */
export type Requirement = {
  [K in KindName]: Parameters<Kinds[K]['needText']>[0];
}[KindName];

/** What is missing for one requirement, and by how much. */
export type RequirementShortfall = ReturnType<Kinds[KindName]['shortfallOf']>;

/** The values of the options that ask for requirements. */
export type AskedRequirements = Pick<ArgumentsOf<readonly Kinds[KindName]['option'][]>, KindName>;

/** One kind, for callers that don't know which: it's given only what is its own. */
type AnyKind = RequirementKind<Requirement, RequirementShortfall, OptionSpec>;

export function kindOf({ kind }: { readonly kind: KindName }): AnyKind {
  return REQUIREMENTS[kind];
}

/** What the options of a command ask for. */
export function readRequirements(asked: AskedRequirements): Requirement[] {
  return (Object.keys(REQUIREMENTS) as KindName[]).flatMap((kind) => {
    const value = asked[kind];
    // Each value is of its kind's option, which the types can't follow.
    return value === undefined || value === null
      ? []
      : (kindOf({ kind }).read(value as never) ?? []);
  });
}

/** Whether a wallet has what one requirement asks for. */
export function isMet(requirement: Requirement, wallet: RatedWallet, compared: Compared): boolean {
  return isKnown(wallet) && kindOf(requirement).isMet(requirement, wallet, compared);
}

/** @returns undefined if the wallet has what's required */
export function shortfallOf(
  requirement: Requirement,
  wallet: RatedWallet,
  measure: Measure,
): RequirementShortfall | undefined {
  if (isMet(requirement, wallet, measure)) return undefined;
  return kindOf(requirement).shortfallOf(requirement, wallet, measure);
}

/** The place whose score decides whether a rule's members are in the top N; undefined if none does. */
export function cutoffPlace(requirements: readonly Requirement[]): number | undefined {
  for (const each of requirements) {
    const place = kindOf(each).cutoffPlace?.(each);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** Whether badges must be read for it. */
export function needsBadges(requirements: readonly Requirement[]): boolean {
  return requirements.some((each) => kindOf(each).needsBadges === true);
}

/**
 * Whether nobody has what's required without exceeding a bound.
 * @param thresholds by which points are compared with tiers; without them they aren't
 */
export function isExcluded(
  requirement: Requirement,
  bound: UpperBound,
  thresholds?: TierThresholds,
): boolean {
  return kindOf(requirement).isExcluded?.(requirement, bound, thresholds) === true;
}

function isKnown(wallet: RatedWallet): wallet is KnownWallet {
  return wallet.record !== undefined;
}
