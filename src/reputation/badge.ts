/** Badge rarities, most common first. */
export const BADGE_TIERS = ['Common', 'Uncommon', 'Rare', 'Epic', 'Legendary'] as const;
export type BadgeTier = (typeof BADGE_TIERS)[number];

/** A badge's definition, whether or not anyone has earned it. */
export interface BadgeDefinition {
  /** Lower-case hyphenated slug. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tier: BadgeTier;
  /** Absolute http(s) URL; empty for one that we draw. */
  readonly imageUrl: string;
  /** Whether it can't be transferred to another wallet. */
  readonly soulbound: boolean;
}

/** Rarest first; equal rarities keep their order. */
export function byRarity<T extends Pick<BadgeDefinition, 'tier'>>(badges: readonly T[]): T[] {
  return badges.toSorted((a, b) => BADGE_TIERS.indexOf(b.tier) - BADGE_TIERS.indexOf(a.tier));
}
