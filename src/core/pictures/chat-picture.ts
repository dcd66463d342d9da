import type { Caller } from '#core/caller';
import type { DrawPicture } from '#core/card';
import type { Wallet } from '#core/wallet';
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
