import { graphemesOf } from '#base';
import { FACES, FALLBACKS, type Face, type Weight } from './faces.ts';

const ELLIPSIS = '…';
const FIRST_REGIONAL = 0x1f1e6;

/** The face that renders a code point; undefined if none has it. */
function faceOf(codePoint: number, weight: Weight): Face | undefined {
  const own = FACES[weight];
  if (own.metrics.has(codePoint)) return own;
  return FALLBACKS.find(({ metrics }) => metrics.has(codePoint));
}

/**
 * Replaces emoji that the renderer can't combine: a sequence, such as a family or a hand with a skin tone, by
 * its first emoji, and a flag by its letters.
 */
export function withPlainEmoji(text: string): string {
  return Array.from(graphemesOf(text), (segment) => {
    if (/^\p{Regional_Indicator}/u.test(segment)) return lettersOf(segment);
    const isJoined = /^\p{Extended_Pictographic}|[\ufe0e\ufe0f\u20e3]/u.test(segment);
    return isJoined ? String.fromCodePoint(segment.codePointAt(0) as number) : segment;
  }).join('');
}

function lettersOf(flag: string): string {
  const codes = Array.from(flag, (each) => (each.codePointAt(0) as number) - FIRST_REGIONAL);
  return String.fromCharCode(...codes.map((code) => code + 65));
}

/** Whether the fonts have every glyph of a text, so that none is drawn as a box. */
export function isDrawable(text: string, weight: Weight): boolean {
  return [...text].every((each) => faceOf(each.codePointAt(0) as number, weight) !== undefined);
}

/** The font files to render a text with, besides those of FAMILY. */
export function fallbackFilesOf(text: string): string[] {
  const files = new Set<string>();
  for (const each of text) {
    const face = faceOf(each.codePointAt(0) as number, 'regular');
    if (face !== undefined && face !== FACES.regular) files.add(face.file);
  }
  return [...files];
}

/** A text's width, ignoring kerning, which usually makes it narrower. @param size of the font */
export function widthOf(text: string, size: number, weight: Weight): number {
  let width = 0;
  for (const each of text) {
    const codePoint = each.codePointAt(0) as number;
    width += faceOf(codePoint, weight)?.metrics.advance(codePoint) ?? 0;
  }
  return width * size;
}

/** Truncates the text to a width, between graphemes, with an ellipsis. */
export function fitToWidth(text: string, most: number, size: number, weight: Weight): string {
  if (widthOf(text, size, weight) <= most) return text;
  let kept = '';
  let left = most - widthOf(ELLIPSIS, size, weight);
  for (const segment of graphemesOf(text)) {
    left -= widthOf(segment, size, weight);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${ELLIPSIS}`;
}

/** The largest size at which a text fits, or the smallest of all. @param sizes descending */
export function sizeFor(
  text: string,
  most: number,
  sizes: readonly [number, ...number[]],
  weight: Weight,
): number {
  return sizes.find((size) => widthOf(text, size, weight) <= most) ?? (sizes.at(-1) as number);
}
