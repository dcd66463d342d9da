import { lowestOf } from '#command';
import { isBeyond } from '#gating/rules/bounds';
import type { Requirement, Rule, UpperBound } from '#gating/rules/rule';
import type { Tier, TierThresholds } from '#reputation';
import type { Chain } from '#wallet';
import type { RatedWallet } from './counted-wallets.ts';
import { type Cutoff, has } from './verdict.ts';

/** What is missing for one requirement or bound, and by how much. */
export type Shortfall =
  /** Points are undefined where the source has thresholds of its own. */
  | { readonly kind: 'tier'; readonly tier: Tier; readonly points: number | undefined }
  | { readonly kind: 'score'; readonly points: number }
  | { readonly kind: 'badge'; readonly badge: string }
  /** The rank is undefined for a wallet that has none. */
  | { readonly kind: 'top'; readonly most: number; readonly rank: number | undefined }
  /** Points to the last of the top N, of a chain if there is one. */
  | {
      readonly kind: 'to top';
      readonly most: number;
      readonly chain: Chain | undefined;
      readonly points: number;
    }
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

/** What a shortfall is measured by. */
interface Measure {
  readonly rule: Rule;
  readonly cutoff: Cutoff;
  readonly thresholds: TierThresholds;
  /** What people call a badge with this id. */
  readonly badgeName: (id: string) => string;
}

/**
 * What the wallet that comes closest lacks. One wallet must meet all requirements, so that is the one
 * that lacks fewest, and of several the one with the highest score. Bounds are about every wallet. Where
 * wallets are added up, their sum is the only one.
 * @param standings of the wallets that the rule looks at, highest score first
 */
export function lackingOf(standings: readonly RatedWallet[], measure: Measure): Lacking {
  const { rule } = measure;
  const options = standings.map((each) => shortfallsOf(each, measure));
  const [best = shortfallsOf(NO_WALLET, measure)] = options;
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

function shortfallsOf(wallet: RatedWallet, measure: Measure): readonly Shortfall[] {
  return measure.rule.requirements.flatMap((each) => shortfallOf(each, wallet, measure) ?? []);
}

function isEnough(missing: readonly Shortfall[], { requirements }: Rule): boolean {
  return missing.length < requirements.length;
}

/** @returns undefined if the wallet has what's required */
function shortfallOf(
  requirement: Requirement,
  wallet: RatedWallet,
  { rule, cutoff, thresholds, badgeName }: Measure,
): Shortfall | undefined {
  if (has(requirement, wallet, rule, cutoff)) return undefined;
  const { score = 0, rank } = wallet.record ?? {};
  switch (requirement.kind) {
    case 'tier': {
      const points = lowestOf(requirement.tier, thresholds) - score;
      return { kind: 'tier', tier: requirement.tier, points: points > 0 ? points : undefined };
    }
    case 'score':
      return { kind: 'score', points: requirement.least - score };
    case 'badge':
      return { kind: 'badge', badge: badgeName(requirement.badge) };
    case 'top': {
      const { most } = requirement;
      // Equal scores share a rank: the last one's score is enough.
      const points = cutoff === undefined ? 0 : cutoff.score - score;
      // Of sums, not every source can tell the rank.
      const isRanked = rule.chain === undefined && rank !== undefined;
      if (isRanked || points <= 0) return { kind: 'top', most, rank };
      return { kind: 'to top', most, chain: rule.chain, points };
    }
  }
}

function excessOf(bound: UpperBound, wallet: RatedWallet | undefined): Shortfall | undefined {
  if (wallet?.record === undefined || !isBeyond({ bounds: [bound] }, wallet.record)) {
    return undefined;
  }
  return bound.kind === 'below'
    ? { kind: 'below', tier: bound.tier }
    : { kind: 'most', points: wallet.record.score - bound.score };
}
