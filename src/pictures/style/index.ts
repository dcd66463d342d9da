/** How a community's cards look. */

import { type MaybePromise, withoutQuotes } from '#base';
import {
  folded,
  hasContrast,
  hexColourOf,
  nearestWithContrast,
  type Rgb,
  withoutEnd,
} from '#command';
import { LANGUAGES, type Texts, textsFor } from '#command/texts';
import type { AuditRow, Community } from '#gating';

/** The styles of communities' cards, for answers and for moderators. Callers check permissions. */
export interface CardStyles {
  /**
   * Never rejects, and takes at most half a second: a card doesn't wait for its colour. Other replicas'
   * changes show after a few seconds.
   */
  styleOf(community: Community): Promise<CardStyle>;
  /** A style's banner; undefined if it's unavailable right now. Never rejects. */
  bannerOf(community: Community, style: CardStyle): Promise<Banner | undefined>;
  /** @param by as in the audit log. @throws RetryableError if the store is unavailable */
  setAccent(community: Community, accent: Rgb, by: string): Promise<void>;
  /**
   * Fetches a picture and stores a re-encoded copy.
   * @throws UserError `banner-busy`, `banner-often`, `banner-unreachable`, `banner-too-large`,
   *   `banner-unreadable`, RetryableError
   */
  setBanner(community: Community, url: string, by: string): Promise<void>;
  /** @throws RetryableError if the store is unavailable */
  reset(community: Community, by: string): Promise<void>;
}

/** The look of a community's cards, as far as its moderators have chosen one. */
export interface CardStyle {
  readonly accent: Rgb | undefined;
  /** Identifies the banner: equal digests mean equal pictures. Undefined if there's none. */
  readonly banner: string | undefined;
}

export const NO_STYLE: CardStyle = { accent: undefined, banner: undefined };

/** A PNG that we've encoded ourselves. */
export interface Banner {
  readonly png: Uint8Array;
  /** 22 characters of base64url. */
  readonly digest: string;
}

/** Styles of communities. Throws RetryableError if the store is unavailable. */
export interface CardStyleStore {
  styleOf(community: Community): MaybePromise<CardStyle>;
  /** Separate from the style, because it's large. */
  bannerOf(community: Community): MaybePromise<Banner | undefined>;
  /**
   * Replaces the given fields; others may have changed the rest meanwhile.
   * @param row of the audit log, added in the same transaction
   */
  putStyle(
    community: Community,
    changes: { readonly accent?: Rgb | undefined; readonly banner?: Banner | undefined },
    row?: AuditRow,
  ): MaybePromise<void>;
}

/** The backgrounds of a card's colour in Discord: chat and card, in the dark and the light theme. */
export const CHAT_GROUNDS: readonly Rgb[] = [0x313338, 0x2b2d31, 0xffffff, 0xf2f3f5];

/** Named colours; all of them fit. */
export const NAMED_COLOURS = {
  red: 0xe63a36,
  coral: 0xe46737,
  orange: 0xcb7803,
  gold: 0xa58b03,
  lime: 0x669b17,
  green: 0x3ca041,
  teal: 0x009688,
  cyan: 0x029aae,
  blue: 0x1790ed,
  indigo: 0x5d74dc,
  blurple: 0x5e6cfa,
  violet: 0x8c63e3,
  purple: 0xbb4acf,
  magenta: 0xec2365,
  pink: 0xe955a1,
  brown: 0x997365,
  grey: 0x8c8c8c,
} as const satisfies Readonly<Record<string, Rgb>>;
type ColourName = keyof typeof NAMED_COLOURS;

/** Whether a card's colour is visible in Discord's dark and light themes. */
export function fitsChats(accent: Rgb): boolean {
  return hasContrast(accent, CHAT_GROUNDS);
}

/** The nearest colour that fits; every hue and grey has one. */
export function nearestFit(accent: Rgb): Rgb {
  return nearestWithContrast(accent, CHAT_GROUNDS) ?? NAMED_COLOURS.grey;
}

const NAMES = Object.keys(NAMED_COLOURS) as ColourName[];

/** What people type for names besides. */
const ALSO_NAMED: Readonly<Record<string, ColourName>> = { gray: 'grey', morado: 'purple' };

/** Parses `#RGB` or `#RRGGBB`, with or without `#`, or a name in any language, also at a sentence's end. */
export function parseColour(text: string, texts: Texts): Rgb | undefined {
  const wanted = folded(withoutEnd(withoutQuotes(text)));
  const all = [texts, ...LANGUAGES.map((each) => textsFor(each))];
  const isNamed = (name: ColourName) =>
    name === wanted || all.some(({ card }) => folded(card.colours[name]) === wanted);
  const also = Object.hasOwn(ALSO_NAMED, wanted) ? ALSO_NAMED[wanted] : undefined;
  const named = NAMES.find(isNamed) ?? also;
  if (named !== undefined) return NAMED_COLOURS[named];
  const hex = /^(?:#|0x)?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(wanted)?.[1];
  if (hex === undefined) return undefined;
  return Number.parseInt(hex.length === 3 ? hex.replace(/./g, '$&$&') : hex, 16);
}

/** Named colours that contain the typed text, and the typed colour itself or the nearest one that fits. */
export function suggestColours(
  typed: string,
  texts: Texts,
): readonly { readonly label: string; readonly value: string }[] {
  const wanted = typed.trim().toLowerCase();
  const own = parseColour(wanted, texts);
  const fit = own === undefined ? [] : [nearestFit(own)];
  const names = NAMES.filter((name) => `${name} ${texts.card.colours[name]}`.includes(wanted));
  return [
    ...fit.map((colour) => ({ label: hexColourOf(colour), value: hexColourOf(colour) })),
    ...names.map((name) => {
      const value = hexColourOf(NAMED_COLOURS[name]);
      return { label: `${texts.card.colours[name]} · ${value}`, value };
    }),
  ];
}
