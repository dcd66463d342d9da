import { TIERS, type Tier, type TierThresholds } from '#reputation';

/** How far a score has come on its way to the next tier. */
export type TierProgress =
  | { readonly isHighest: true }
  | {
      readonly isHighest: false;
      readonly next: Tier;
      /** Points still missing. */
      readonly missing: number;
      /** 0 to 1, exclusive. */
      readonly fraction: number;
    };

/** The lowest score of a tier. */
export function lowestOf(tier: Tier, thresholds: TierThresholds): number {
  switch (tier) {
    case 'Titan':
      return thresholds.titan;
    case 'Whale':
      return thresholds.whale;
    case 'Shark':
      return thresholds.shark;
    case 'Dolphin':
      return thresholds.dolphin;
    case 'Shrimp':
      return 0;
  }
}

/** Undefined if score and tier don't match our thresholds: the source uses different ones. */
export function tierProgress(
  score: number,
  tier: Tier,
  thresholds: TierThresholds,
): TierProgress | undefined {
  const next = TIERS[TIERS.indexOf(tier) - 1];
  if (next === undefined) return { isHighest: true };
  const from = lowestOf(tier, thresholds);
  const to = lowestOf(next, thresholds);
  if (score < from || score >= to) return undefined;
  return { isHighest: false, next, missing: to - score, fraction: (score - from) / (to - from) };
}
