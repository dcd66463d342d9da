/** Which picture is shown where: paths, words for those who do not see it, sizes. */

export {
  BADGE_SIZE,
  type BadgePictureOf,
  badgePicturePath,
  CARD_FORMATS,
  CARD_SIZE,
  CARD_THEMES,
  type CardFormat,
  type CardLook,
  DEFAULT_THEME,
  type DrawnStyle,
  datedCardPath,
  type PictureOf,
  type PictureParts,
  type Pictures,
  type PreparedPicture,
} from './pictures.ts';
export {
  altTextOf,
  type CardSettings,
  historyOf,
  type RankCard,
  rankCardOf,
  readRankCard,
} from './rank-card.ts';
