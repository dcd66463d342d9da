import type { BadgeTier } from '#core/badge';
import type { Tier } from '#core/tier';
import { PUBLIC_ASSETS_PATH } from './assets.ts';
import { type Markup, markup } from './markup.ts';

/** Path of a tier's creature. */
export function creaturePath(tier: Tier): string {
  return `${PUBLIC_ASSETS_PATH}/${tier.toLowerCase()}.svg`;
}

/** A tier's creature, large. It says nothing that the text beside it doesn't. */
export function creature(tier: Tier): Markup {
  return markup`<img class="creature" src="${creaturePath(tier)}" alt="" width="274" height="204">`;
}

/** A tier's emblem, small. It says nothing that the text beside it doesn't. */
export function tierPicture(tier: Tier): Markup {
  const name = tier === 'Titan' ? 'trident' : tier.toLowerCase();
  return markup`<img class="small" src="${PUBLIC_ASSETS_PATH}/emoji.svg#${name}" alt="" width="32" height="32">`;
}

/** A badge drawn from its rarity and initials. */
export function badgePicture({ name, tier }: { readonly name: string; readonly tier: BadgeTier }) {
  return markup`<svg class="badge ${tier.toLowerCase()}" viewBox="0 0 48 48" aria-hidden="true"><path d="M24 2 43 13v22L24 46 5 35V13z"/><text x="24" y="30" text-anchor="middle">${initialsOf(name)}</text></svg>`;
}

/** Of the first two words; of a single one its first letter. */
function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toLocaleUpperCase('und');
}
