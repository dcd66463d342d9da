import type { BadgeDefinition } from '#reputation';

/** The size of a rank card in pixels; chats and social networks show it uncropped. */
export const CARD_SIZE = { width: 1200, height: 630 } as const;

/** The size of a badge's picture. */
export const BADGE_SIZE = { width: 256, height: 256 } as const;

export const CARD_FORMATS = ['png', 'svg'] as const;
export type CardFormat = (typeof CARD_FORMATS)[number];

export const CARD_THEMES = ['light', 'dark'] as const;
export type CardTheme = (typeof CARD_THEMES)[number];

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
