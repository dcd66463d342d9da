import type { BadgeTier } from '#core/badge';
import type { Tier } from '#core/tier';
import { ASSETS_PATH } from '#web/page';
import { type Markup, markup } from './markup.ts';

/** A tier's animal. It says nothing that the text beside it doesn't. */
export function tierPicture(tier: Tier, kind: 'creature' | 'small'): Markup {
  const name = tier === 'Titan' ? 'trident' : tier.toLowerCase();
  return markup`<img class="${kind}" src="${ASSETS_PATH}/emoji.svg#${name}" alt="" width="32" height="32">`;
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
