import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { graphemesOf } from '#base';

/** What it takes to measure text in a TrueType font. */
interface FontMetrics {
  /** Whether the font has a glyph for a code point. */
  has(codePoint: number): boolean;
  /** A glyph's advance in em, 0 if it's missing. Ignores kerning and ligatures. */
  advance(codePoint: number): number;
}

/**
 * Reads `cmap` and `hmtx`, all that measuring needs: font libraries parse every outline, which takes a
 * hundred times as long. https://learn.microsoft.com/typography/opentype/spec/otff
 * @throws RangeError if the file isn't a TrueType font
 */
function readFont(path: string | URL): FontMetrics {
  const file = readFileSync(path);
  const tables = tablesOf(file);
  const table = (tag: string): number => {
    const offset = tables.get(tag);
    if (offset === undefined) throw new RangeError(`${path} has no table ${tag}`);
    return offset;
  };
  const unitsPerEm = file.readUInt16BE(table('head') + 18);
  // Glyphs beyond this number share the last one's width.
  const widths = file.readUInt16BE(table('hhea') + 34);
  const hmtx = table('hmtx');
  const glyphOf = readCmap(file, table('cmap'));
  return {
    has: (codePoint) => glyphOf(codePoint) !== 0,
    advance(codePoint) {
      const glyph = glyphOf(codePoint);
      if (glyph === 0) return 0;
      return file.readUInt16BE(hmtx + Math.min(glyph, widths - 1) * 4) / unitsPerEm;
    },
  };
}

function tablesOf(file: Buffer): ReadonlyMap<string, number> {
  const tables = new Map<string, number>();
  for (let i = 0; i < file.readUInt16BE(4); i++) {
    const entry = 12 + i * 16;
    tables.set(file.toString('latin1', entry, entry + 4), file.readUInt32BE(entry + 8));
  }
  return tables;
}

type GlyphOf = (codePoint: number) => number;

/** Prefers format 12, which has all planes, to format 4, which has only the first. */
function readCmap(file: Buffer, cmap: number): GlyphOf {
  let basic: number | undefined;
  for (let i = 0; i < file.readUInt16BE(cmap + 2); i++) {
    const subtable = cmap + file.readUInt32BE(cmap + 4 + i * 8 + 4);
    const format = file.readUInt16BE(subtable);
    if (format === 12) return readGroups(file, subtable);
    if (format === 4) basic = subtable;
  }
  if (basic === undefined) throw new RangeError('a font without a character map of format 4 or 12');
  return readSegments(file, basic);
}

/** Format 12: groups of consecutive code points and glyphs. */
function readGroups(file: Buffer, subtable: number): GlyphOf {
  const count = file.readUInt32BE(subtable + 12);
  const start = (i: number) => file.readUInt32BE(subtable + 16 + i * 12);
  return (codePoint) => {
    const i = lastNotAbove(count, start, codePoint);
    if (i < 0) return 0;
    const group = subtable + 16 + i * 12;
    if (codePoint > file.readUInt32BE(group + 4)) return 0;
    return file.readUInt32BE(group + 8) + codePoint - start(i);
  };
}

/** Format 4: segments with a delta, or an offset into an array of glyphs. */
function readSegments(file: Buffer, subtable: number): GlyphOf {
  const doubled = file.readUInt16BE(subtable + 6);
  const ends = subtable + 14;
  const starts = ends + doubled + 2;
  const differences = starts + doubled;
  const ranges = differences + doubled;
  const start = (i: number) => file.readUInt16BE(starts + i * 2);
  return (codePoint) => {
    const i = codePoint > 0xffff ? -1 : lastNotAbove(doubled / 2, start, codePoint);
    if (i < 0 || codePoint > file.readUInt16BE(ends + i * 2)) return 0;
    const difference = file.readUInt16BE(differences + i * 2);
    const range = file.readUInt16BE(ranges + i * 2);
    if (range === 0) return (codePoint + difference) & 0xffff;
    const glyph = file.readUInt16BE(ranges + i * 2 + range + (codePoint - start(i)) * 2);
    return glyph === 0 ? 0 : (glyph + difference) & 0xffff;
  };
}

/** The last index whose value isn't above the wanted one, or -1. */
function lastNotAbove(count: number, at: (place: number) => number, wanted: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(middle) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const require = createRequire(import.meta.url);

/**
 * The file of a face in one of Expo's packages of Google Fonts, which ship TrueType files.
 * @param folder older packages have none for each weight
 */
function fileOf(font: string, weight: string, folder = weight): string {
  const name = font.replaceAll(' ', '');
  const base = dirname(require.resolve(`@expo-google-fonts/${slugOf(font)}/package.json`));
  return join(base, folder, `${name}_${weight}.ttf`);
}

function slugOf(font: string): string {
  return font.toLowerCase().replaceAll(' ', '-');
}

/** The font family of all pictures. */
export const FAMILY = 'Inter';

export const WEIGHTS = { regular: 400, bold: 700 } as const;
export type Weight = keyof typeof WEIGHTS;

/** A file to render with and its metrics, read on first use. */
interface Face {
  readonly file: string;
  readonly metrics: FontMetrics;
}

function face(font: string, weight: string, folder?: string): Face {
  const file = fileOf(font, weight, folder);
  let metrics: FontMetrics | undefined;
  return {
    file,
    get metrics() {
      metrics ??= readFont(file);
      return metrics;
    },
  };
}

/** The faces of FAMILY. */
export const FACES: Readonly<Record<Weight, Face>> = {
  regular: face(FAMILY, '500Medium'),
  bold: face(FAMILY, '700Bold'),
};

/**
 * For glyphs that FAMILY lacks, in the order they're tried; each is read only if it's needed. They take ten
 * megabytes in all; a font with every Chinese character would take a hundred.
 */
const FALLBACKS: readonly Face[] = [
  face('Noto Emoji', '700Bold'),
  // Japanese, and the Chinese characters that it shares.
  face('Kosugi', '400Regular', '.'),
  // Korean.
  face('Do Hyeon', '400Regular'),
  face('Heebo', '700Bold'),
  face('Cairo', '700Bold'),
];

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
