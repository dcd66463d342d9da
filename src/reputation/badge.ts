import { graphemesOf, sanitizeText } from '#base';

/** A disc has no room for more. */
const MOST = 4;
const NAME_MAX = 60;

/**
 * What a badge without a picture shows: enough of its name to tell it from badges with similar names. The
 * first number is kept, as `Milestone 10` and `Milestone 100` only differ there: `M10`, `M100`. Otherwise it's
 * two letters of the first word and one of the second: `SeP`, `SlP`. A name without any has its first emoji.
 * @returns empty if the name has neither letters, digits nor emoji
 */
export function badgeInitials(name: string): string {
  const shown = sanitizeText(name, NAME_MAX);
  const words = shown.match(/\p{N}+|\p{L}[\p{L}\p{M}]*/gu) ?? [];
  if (words.length === 0) return emojiOf(shown);
  const [first = '', second = ''] = words;
  const number = words.find((word) => /^\p{N}/u.test(word));
  if (number === undefined) return startOf(first, 2) + startOf(second, 1);
  const whole = number === first ? number + startOf(second, 1) : startOf(first, 1) + number;
  return startOf(whole.length > MOST ? number : whole, MOST);
}

function emojiOf(text: string): string {
  const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
  return graphemesOf(text).find((each) => emoji.test(each)) ?? '';
}

/** The first letters, the first of them a capital unless the name has its own way: `xGov`. */
function startOf(word: string, letters: number): string {
  const graphemes = [...graphemesOf(word).take(letters)];
  if (word !== word.toLocaleLowerCase('und')) return graphemes.join('');
  const [first = '', ...others] = graphemes;
  return first.toLocaleUpperCase('und') + others.join('');
}

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
