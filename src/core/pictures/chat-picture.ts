import type { Caller } from '#core/caller';
import type { DrawPicture } from '#core/card';
import type { Wallet } from '#core/wallet';
import type { RankCardParts } from './rank-card.ts';

/** What a command has read, of which a picture is wanted. */
export type PictureParts = Omit<RankCardParts, 'history'> & {
  readonly wallet: Wallet;
  readonly caller: Caller;
  /** Code of the caller's language. */
  readonly language: string;
};

/** Makes the picture of what a command says, so that both have the same figures. */
export type PictureOf = (parts: PictureParts) => DrawPicture;
