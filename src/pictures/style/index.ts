/** How a community's cards look. */

export {
  type Banner,
  type CardStyle,
  type CardStyleStore,
  type CardStyles,
  NO_STYLE,
} from './card-styles.ts';
export { fitsChats, nearestFit, parseColour, suggestColours } from './colours.ts';
