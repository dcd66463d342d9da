import type { Tier, TierThresholds } from '#core/tier';

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
