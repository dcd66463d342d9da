import type { Caller, DrawPicture, Rgb } from '#command';
import type { Banner } from '#pictures/style/card-styles';
import type { EarnedBadge } from '#reputation';
import type { Wallet } from '#wallet';
import type { CardFormat, CardLook } from './paths.ts';
import type { PicturedBadge, RankCard, RankCardParts } from './rank-card.ts';

/** A picture that is cached or can be drawn. */
export interface PreparedPicture {
  /** Of everything it shows: equal digests mean equal pictures. 22 characters of base64url. */
  readonly digest: string;
  /** Undefined if it isn't cached. */
  readonly kept: Uint8Array | undefined;
  /** Draws it, once for all who wait. @throws RetryableError if too many wait, or it takes too long */
  draw(): Promise<Uint8Array>;
}

export interface CardRequest {
  readonly card: RankCard;
  readonly look: CardLook;
  readonly format: CardFormat;
  /** Of the community that sees it; undefined on the web. */
  readonly style?: DrawnStyle | undefined;
}

/** A community's style, with all that's needed to draw it. */
export interface DrawnStyle {
  readonly accent: Rgb | undefined;
  readonly banner: Banner | undefined;
}

/** Draws pictures outside of the requests for them. */
export interface Pictures {
  /** Whether nothing more can be drawn right now; cached pictures are still served. */
  readonly isFull: boolean;
  /** Waits a moment for badge pictures that aren't cached; after that their initials are drawn. */
  card(request: CardRequest): Promise<PreparedPicture>;
  /**
   * A badge's picture as a square PNG.
   * @param isLasting whether it goes where it's kept for days: then it waits some seconds for the badge's own
   *   picture, rather than a moment
   */
  badge(badge: PicturedBadge, isLasting: boolean): Promise<PreparedPicture>;
}

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
