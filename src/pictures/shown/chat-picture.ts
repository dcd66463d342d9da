import type { Caller, DrawPicture } from '#command';
import type { EarnedBadge } from '#reputation';
import type { Wallet } from '#wallet';
import type { RankCardParts } from './rank-card.ts';

/** The data that a command has read and wants a picture of. */
export type PictureParts = Omit<RankCardParts, 'history'> & {
  readonly wallet: Wallet;
  readonly caller: Caller;
  /** Code of the caller's language. */
  readonly language: string;
};

/** Makes the picture from a command's own data, so that both show the same figures. */
export type PictureOf = (parts: PictureParts) => DrawPicture;

/**
 * The address of a badge's picture where the caller's chat can fetch it: undefined if it can't, or if
 * there's none.
 */
export type BadgePictureOf = (badge: Pick<EarnedBadge, 'id'>, caller: Caller) => string | undefined;
