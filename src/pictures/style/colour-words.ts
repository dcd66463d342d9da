import { hexColourOf, type Rgb } from '#command';
import type { Texts } from '#command/texts';
import { type ColourName, NAMED_COLOURS, nearestFit } from './accent.ts';

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
