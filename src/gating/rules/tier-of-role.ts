import { LANGUAGES, textsFor } from '#command/texts';
import { TIERS, type Tier } from '#reputation';

/**
 * The tier that a role is named after: in any language, as one or several, with or without an emoji, as its maker
 * chose. Undefined if it's named after none.
 */
export function tierOfRole(role: string): Tier | undefined {
  const own = lettersOf(role);
  return TIERS.find((tier) =>
    LANGUAGES.some((language) => {
      const one = lettersOf(textsFor(language).tiers[tier]);
      return [one, `${one}s`, `${one}es`].includes(own);
    }),
  );
}

/**
 * As moderators type it: with other case, accents, emoji or spaces it's the same name, and so is the same tier's in
 * another language, which a setup chooses by the community's.
 */
export function isSameRoleName(one: string, other: string): boolean {
  const plain = plainName(one);
  if (one === other || (plain !== '' && plain === plainName(other))) return true;
  const tier = tierOfRole(one);
  return tier !== undefined && tier === tierOfRole(other);
}

/** Its letters and digits, in small letters without accents. */
export function plainName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Without accents, emoji and the like. */
function lettersOf(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}
