import { BADGE_TIERS, type BadgeTier } from '#core/badge';
import type { EarnedBadge } from '#core/records';

/** The colours that games give to rarities. */
const MARKS: Readonly<Record<BadgeTier, string>> = {
  Common: '⬜',
  Uncommon: '🟩',
  Rare: '🟦',
  Epic: '🟪',
  Legendary: '🟨',
};

/** For a badge that can't be given to another wallet. */
export const SOULBOUND_MARK = '🔒';

/** The rarest first; equally rare ones stay in the source's order. */
export function byRarity(badges: readonly EarnedBadge[]): EarnedBadge[] {
  return badges.toSorted((a, b) => BADGE_TIERS.indexOf(b.tier) - BADGE_TIERS.indexOf(a.tier));
}

/** The parts around a badge's name: the mark of its rarity and, if need be, that of its bond. */
export function marksOf(badge: EarnedBadge): { readonly before: string; readonly after: string } {
  return { before: `${MARKS[badge.tier]} `, after: badge.soulbound ? ` ${SOULBOUND_MARK}` : '' };
}
