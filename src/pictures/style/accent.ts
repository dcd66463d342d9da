import { nearestThatStandsOut, type Rgb, standsOut } from '#command';

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
export type ColourName = keyof typeof NAMED_COLOURS;

/** Whether a card's colour is visible in Discord's dark and light themes. */
export function fitsChats(accent: Rgb): boolean {
  return standsOut(accent, CHAT_GROUNDS);
}

/** The nearest colour that fits; every hue and grey has one. */
export function nearestFit(accent: Rgb): Rgb {
  return nearestThatStandsOut(accent, CHAT_GROUNDS) ?? NAMED_COLOURS.grey;
}
