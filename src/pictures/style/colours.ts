import { hasContrast, hexColourOf, nearestWithContrast, type Rgb } from '#command';
import type { Texts } from '#command/texts';

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

/** Parses `#RGB` or `#RRGGBB`, with or without `#`, or a name in the reader's language or English. */
export function parseColour(text: string, { card }: Texts): Rgb | undefined {
  const wanted = text.trim().toLowerCase();
  const named = NAMES.find((name) => name === wanted || card.colours[name] === wanted);
  if (named !== undefined) return NAMED_COLOURS[named];
  const hex = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(wanted)?.[1];
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
