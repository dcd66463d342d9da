import { FACES, FALLBACKS, type Face, type Weight } from './faces.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
const ELLIPSIS = '…';
/** Joiners and variation selectors have no glyph of their own. */
const WITHOUT_GLYPH = /[\u200d\ufe0e\ufe0f]/u;

/** The face that renders a code point; undefined if none has it. */
function faceOf(codePoint: number, weight: Weight): Face | undefined {
  const own = FACES[weight];
  if (own.metrics.has(codePoint)) return own;
  return FALLBACKS.find(({ metrics }) => metrics.has(codePoint));
}

/** Whether the fonts have every glyph of a text, so that no box stands for one. */
export function isDrawable(text: string, weight: Weight): boolean {
  return [...text].every(
    (each) =>
      WITHOUT_GLYPH.test(each) || faceOf(each.codePointAt(0) as number, weight) !== undefined,
  );
}

/** The files to render a text with besides those of FAMILY. */
export function fallbackFilesOf(text: string): string[] {
  const files = new Set<string>();
  for (const each of text) {
    const face = faceOf(each.codePointAt(0) as number, 'regular');
    if (face !== undefined && face !== FACES.regular) files.add(face.file);
  }
  return [...files];
}

/** A text's width; kerning, which usually makes it narrower, is left out. @param size of the font */
export function widthOf(text: string, size: number, weight: Weight): number {
  let width = 0;
  for (const each of text) {
    const codePoint = each.codePointAt(0) as number;
    width += faceOf(codePoint, weight)?.metrics.advance(codePoint) ?? 0;
  }
  return width * size;
}

/** The text truncated to a width, with an ellipsis, between graphemes. */
export function fitToWidth(text: string, most: number, size: number, weight: Weight): string {
  if (widthOf(text, size, weight) <= most) return text;
  let kept = '';
  let left = most - widthOf(ELLIPSIS, size, weight);
  for (const { segment } of segmenter.segment(text)) {
    left -= widthOf(segment, size, weight);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${ELLIPSIS}`;
}

/** The largest of some sizes at which a text fits, else the smallest. @param sizes descending */
export function sizeFor(
  text: string,
  most: number,
  sizes: readonly [number, ...number[]],
  weight: Weight,
): number {
  return sizes.find((size) => widthOf(text, size, weight) <= most) ?? (sizes.at(-1) as number);
}
