import type { Caller, DrawPicture, Rgb } from '#command';
import type { Banner } from '#pictures/style/index';
import type { BadgeDefinition, EarnedBadge } from '#reputation';
import type { Wallet } from '#wallet';
import type { PicturedBadge, RankCard, RankCardParts } from './rank-card.ts';

/** A picture that is cached or can be drawn. */
export interface PreparedPicture {
  /** Identifies everything it shows: equal digests mean equal pictures. 22 characters of base64url. */
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
  /** The style of the community that sees it; undefined on the web. */
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

/** The size of a rank card in pixels; chats and social networks show it uncropped. */
export const CARD_SIZE = { width: 1200, height: 630 } as const;

/** The size of a badge's picture. */
export const BADGE_SIZE = { width: 256, height: 256 } as const;

export const CARD_FORMATS = ['png', 'svg'] as const;
export type CardFormat = (typeof CARD_FORMATS)[number];

export const CARD_THEMES = ['light', 'dark'] as const;
export type CardTheme = (typeof CARD_THEMES)[number];

/** Increase it when the same data is drawn differently, so that caches and chats drop the old pictures. */
export const DRAWING_VERSION = 3;

/** The look of a rank card; everything else depends on the wallet. */
export interface CardLook {
  /** Two letters, one of `LANGUAGES`. */
  readonly language: string;
  readonly theme: CardTheme;
}

/** The defaults of a look. */
export const DEFAULT_THEME: CardTheme = 'dark';

/** The path of a wallet's rank card. */
export function cardPath(address: string, format: CardFormat, look: Partial<CardLook>): string {
  return `/card/${address}.${format}${queryOf(look)}`;
}

/**
 * The same picture at a URL that changes with it, for chats and social networks, which cache what they
 * fetched for days.
 * @param digest of the picture
 */
export function datedCardPath(address: string, digest: string, look: Partial<CardLook>): string {
  return `/card/${address}/${digest}.png${queryOf(look)}`;
}

/** The path of a badge's picture: the operator's, re-encoded, or one drawn from its tier and name. */
export function badgePicturePath({ id }: Pick<BadgeDefinition, 'id'>): string {
  return `/badge-picture/${encodeURIComponent(id)}.png`;
}

/**
 * The same at a path that changes with the badge, for chats.
 * @param version of what it looks like
 */
export function datedBadgePath({ id }: Pick<BadgeDefinition, 'id'>, version: string): string {
  return `/badge-picture/${encodeURIComponent(id)}/${version}.png`;
}

function queryOf({ language, theme }: Partial<CardLook>): string {
  const query = new URLSearchParams();
  if (language !== undefined) query.set('lang', language);
  if (theme !== undefined) query.set('theme', theme);
  return query.size === 0 ? '' : `?${query}`;
}
