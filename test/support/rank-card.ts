import type { RankCard } from '#pictures/shown/rank-card';
import { TIERS, type Tier } from '#reputation/tier';

/** A card with everything on it. */
export function rankCard(more: Partial<RankCard> = {}): RankCard {
  const { tier = 'Whale' } = more;
  return {
    address: '0xB7FF6ddE4bF973341DcB58E169709c5d86A31819',
    chain: 'ethereum',
    name: 'Marina',
    score: 7190,
    tier,
    rank: 116,
    totalUsers: 51_186,
    progress: progressOf(tier),
    badges: (['Legendary', 'Epic', 'Rare', 'Uncommon', 'Common', 'Common'] as const).map(
      (rarity, i) => ({
        id: `badge-${i}`,
        name: `Bridge Builder ${i}`,
        tier: rarity,
        imageUrl: `https://example.org/${i}.png`,
      }),
    ),
    badgeTotal: 8,
    history: [
      [20_100, 900],
      [20_180, 4_000],
      [20_300, 7_190],
    ],
    isStale: false,
    isPartial: false,
    isDemo: false,
    ...more,
  };
}

function progressOf(tier: Tier): RankCard['progress'] {
  const next = TIERS[TIERS.indexOf(tier) - 1];
  if (next === undefined) return { isHighest: true };
  return { isHighest: false, next, missing: 1_810, fraction: 0.55 };
}
