/** How a community's cards look. */

export { fitsChats, nearestFit } from './accent.ts';
export type { CardStyles } from './card-styles.ts';
export { parseColour, suggestColours } from './colour-words.ts';
export { type Banner, type CardStyle, type CardStyleStore, NO_STYLE } from './store.ts';
