import { LANGUAGES, textsFor } from '#command/texts';
import { TIERS, type Tier } from '#reputation';

/**
 * The tier that a role is named after: in any language, as one or several, with or without an emoji, as whoever made
 * it by hand chose. Undefined if it's named after none.
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

/** Without accents, emoji and the like. */
function lettersOf(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}
