import type { BadgeDefinition, BadgeTier } from '#reputation';

/** Parses a row of the table `badge`. */
export function badgeOf(row: Record<string, unknown>): BadgeDefinition {
  return {
    id: String(row.id),
    name: String(row.name),
    description: String(row.description),
    tier: String(row.tier) as BadgeTier,
    imageUrl: String(row.image_url),
    soulbound: row.soulbound === 1,
  };
}
