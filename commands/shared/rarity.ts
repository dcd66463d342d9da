import type { BadgeTier, EarnedBadge } from '#reputation';

/** Colours commonly used for rarities in games. */
const MARKS: Readonly<Record<BadgeTier, string>> = {
  Common: '⬜',
  Uncommon: '🟩',
  Rare: '🟦',
  Epic: '🟪',
  Legendary: '🟨',
};

/** Marks a soulbound badge. */
export const SOULBOUND_MARK = '🔒';

/** The marks around a badge's name: its rarity, and whether it's soulbound. */
export function marksOf(badge: EarnedBadge): { readonly before: string; readonly after: string } {
  return { before: `${MARKS[badge.tier]} `, after: badge.soulbound ? ` ${SOULBOUND_MARK}` : '' };
}
