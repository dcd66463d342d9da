/** How a community's cards look. */

export {
  type Banner,
  type CardStyle,
  type CardStyleStore,
  type CardStyles,
  fitsChats,
  NO_STYLE,
  nearestFit,
  parseColour,
  suggestColours,
} from './card-styles.ts';
