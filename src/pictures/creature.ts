import type { Tier } from '#reputation';
import { CREATURE_SIZE, CREATURES } from './card/creatures/index.ts';
import { paletteOf } from './card/palette.ts';

/** The margin around a creature, whose fins and spray reach beyond its box. */
const MARGIN = 24;

/** A tier's creature on its own, for dark water, as an SVG document. */
export function creatureSvg(tier: Tier): string {
  const { width, height } = CREATURE_SIZE;
  const box = [-MARGIN, -MARGIN, width + 2 * MARGIN, height + 2 * MARGIN].join(' ');
  const drawn = CREATURES[tier](paletteOf(tier, 'dark').creature);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}">${drawn}</svg>`;
}
