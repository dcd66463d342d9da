import { type Html, html, NOTHING } from '#base';
import { badgePicturePath } from '#pictures/shown';
import { type BadgeDefinition, badgeInitials, type Tier } from '#reputation';

/** Path of these pages' assets. */
export const PUBLIC_ASSETS_PATH = '/pages';

/** Those that all pages share, and those of these; by their path. */
export const PUBLIC_ASSETS: ReadonlyMap<string, string> = new Map(
  [
    ...['base.css', 'frame.css', 'icon.svg', 'emoji.svg'],
    ...['public/public.js', 'public/public.css', 'public/hero.css', 'public/board.css'],
    ...['public/wallet.css', 'public/leaderboard.css', 'public/stats.css', 'public/badge.css'],
  ].map((file) => [`${PUBLIC_ASSETS_PATH}/${file.replace(/^public\//, '')}`, file]),
);

/** The path of a tier's creature. */
export function creaturePath(tier: Tier): string {
  return `${PUBLIC_ASSETS_PATH}/${tier.toLowerCase()}.svg`;
}

/** A tier's creature, large. Decorative: the text next to it says the same. */
export function creature(tier: Tier): Html {
  return html`<img class="creature" src="${creaturePath(tier)}" alt="" width="274" height="204">`;
}

/** A tier's emblem, small. Decorative: the text next to it says the same. */
export function tierPicture(tier: Tier): Html {
  return html`<img class="small" src="${PUBLIC_ASSETS_PATH}/emoji.svg#${tier.toLowerCase()}" alt="" width="32" height="32">`;
}

/**
 * A badge's picture on top of its initials, which show until it's loaded or if it can't be.
 * @param isPictured whether there's a picture to load
 */
export function badgePicture(
  { id, name, tier }: Pick<BadgeDefinition, 'id' | 'name' | 'tier'>,
  isPictured: boolean,
): Html {
  const picture = isPictured
    ? html`<img src="${badgePicturePath({ id })}" alt="" width="96" height="96" loading="lazy">`
    : NOTHING;
  const initials = badgeInitials(name);
  const size = initials.length > 2 ? html` class="n${initials.length > 3 ? 4 : 3}"` : NOTHING;
  return html`<span class="badge ${tier.toLowerCase()}"><svg viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="24"/><text x="24" y="30" text-anchor="middle"${size}>${initials}</text></svg>${picture}</span>`;
}
