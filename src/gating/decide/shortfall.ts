import { type RequirementShortfall, shortfallOf } from '#gating/requirements/index';
import type { Measure, UpperBound } from '#gating/requirements/kind';
import { isBeyond, type Rule } from '#gating/rules/rule';
import type { Tier } from '#reputation';
import type { RatedWallet } from './counted-wallets.ts';

/** What is missing for one requirement or bound, and by how much. */
export type Shortfall =
  | RequirementShortfall
  | { readonly kind: 'below'; readonly tier: Tier }
  /** Points too many. */
  | { readonly kind: 'most'; readonly points: number };

/** What a member lacks of a rule. */
export interface Lacking {
  /** Whether all that is missing is needed, or any of it. */
  readonly match: Rule['match'];
  readonly missing: readonly Shortfall[];
  /** Bounds that a wallet exceeds. */
  readonly over: readonly Shortfall[];
  /** There's no wallet that the rule looks at. */
  readonly isWithoutWallet: boolean;
}

/**
 * What the wallet that comes closest lacks. One wallet must meet all requirements, so that is the one
 * that lacks fewest, and of several the one with the highest score. Bounds are about every wallet. Where
 * wallets are added up, their sum is the only one.
 * @param standings of the wallets that the rule looks at, highest score first
 */
export function lackingOf(
  standings: readonly RatedWallet[],
  { rule, ...measure }: Omit<Measure, 'chain'> & { readonly rule: Rule },
): Lacking {
  const missingOf = (wallet: RatedWallet) =>
    rule.requirements.flatMap(
      (each) => shortfallOf(each, wallet, { ...measure, chain: rule.chain }) ?? [],
    );
  const options = standings.map(missingOf);
  const [best = missingOf(NO_WALLET)] = options;
  const fewest = options.reduce((least, each) => (each.length < least.length ? each : least), best);
  const isMet = rule.match === 'any' && options.some((each) => isEnough(each, rule));
  const highest = standings.find(({ record }) => isBeyond(rule, record));
  return {
    match: rule.match,
    missing: isMet ? [] : rule.match === 'all' ? fewest : best,
    over: (rule.bounds ?? []).flatMap((bound) => excessOf(bound, highest) ?? []),
    isWithoutWallet: standings.length === 0,
  };
}

const NO_WALLET: RatedWallet = { record: undefined, badges: [] };

function isEnough(missing: readonly Shortfall[], { requirements }: Rule): boolean {
  return missing.length < requirements.length;
}

function excessOf(bound: UpperBound, wallet: RatedWallet | undefined): Shortfall | undefined {
  if (wallet?.record === undefined || !isBeyond({ bounds: [bound] }, wallet.record)) {
    return undefined;
  }
  return bound.kind === 'below'
    ? { kind: 'below', tier: bound.tier }
    : { kind: 'most', points: wallet.record.score - bound.score };
}
