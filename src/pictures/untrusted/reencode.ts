import { Resvg } from '@resvg/resvg-js';
import type { PictureSize } from './upright.ts';

/** 64 MB when decoded. */
const SIDE_MAX = 4_096;

/**
 * Draws a stranger's picture as a PNG of our own, cropped to a size, so that nothing of the file
 * itself is passed on.
 * @throws RangeError (as a rejection) if it isn't a picture of a sensible size
 */
export async function reencode(file: Buffer, size: PictureSize): Promise<Uint8Array> {
  const header = readImageHeader(file);
  if (header === undefined) throw new RangeError("it isn't a PNG, JPEG, GIF, WebP or SVG");
  const { type, width, height } = header;
  if (type === 'svg+xml') {
    if (!isSafeSvg(file)) throw new RangeError("it's an SVG that does more than draw");
  } else if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX) {
    throw new RangeError(`it has ${width} by ${height} pixels`);
  }
  const rendered = new Resvg(await drawing(type, file, size), {
    font: { loadSystemFonts: false },
    logLevel: 'off',
  }).render();
  // The renderer leaves out a file that it can't decode, without an error.
  if (rendered.pixels.every((byte) => byte === 0)) throw new RangeError('it draws nothing visible');
  return rendered.asPng();
}

async function drawing(type: string, file: Buffer, size: PictureSize): Promise<string> {
  const isForRenderer = type === 'png' ? !hasExif(file) : type !== 'jpeg' && type !== 'webp';
  if (isForRenderer) return cropped(type, file, size);
  // The renderer can't decode WebP or CMYK, and leaves phones' photos on their side. The other decoder is loaded
  // only where it's needed.
  const { uprightPng } = await import('./upright.ts');
  return cropped('png', await uprightPng(file, size, SIDE_MAX ** 2), size);
}

function cropped(type: string, file: Buffer, { width, height }: PictureSize): string {
  const uri = `data:image/${type};base64,${file.toString('base64')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="${width}" height="${height}" preserveAspectRatio="xMidYMid slice" href="${uri}"/></svg>`;
}

/** What a file's header says about a picture, read before it's decoded. */
interface ImageHeader {
  readonly type: 'png' | 'jpeg' | 'gif' | 'webp' | 'svg+xml';
  /** Pixels; 0 for SVG, which scales to any size. */
  readonly width: number;
  readonly height: number;
}

/**
 * Reads a picture's type and size from its first bytes, whatever its Content-Type: a picture of a few
 * kilobytes may unpack to gigabytes.
 * @returns undefined if it's another type, or cut short
 */
export function readImageHeader(file: Buffer): ImageHeader | undefined {
  try {
    if (file.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') return pngHeader(file);
    if (file.toString('latin1', 0, 3) === 'GIF') return gifHeader(file);
    if (file.readUInt16BE(0) === 0xffd8) return jpegHeader(file);
    if (file.toString('latin1', 0, 4) === 'RIFF') return webpHeader(file);
    return isSvg(file) ? { type: 'svg+xml', width: 0, height: 0 } : undefined;
  } catch (error) {
    // Beyond the end of the file.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** https://www.w3.org/TR/png-3/#11IHDR */
function pngHeader(file: Buffer): ImageHeader | undefined {
  if (file.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { type: 'png', width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
}

/** Whether a PNG says how to turn it. https://www.w3.org/TR/png-3/#eXIf */
function hasExif(file: Buffer): boolean {
  // What precedes and follows a chunk's data: its length and type, and a checksum.
  for (let at = 8; at + 8 <= file.length; at += 12 + file.readUInt32BE(at)) {
    if (file.toString('latin1', at + 4, at + 8) === 'eXIf') return true;
  }
  return false;
}

const IMAGE = 0x2c;
const EXTENSION = 0x21;

/**
 * The screen's size, or the first frame's if that's larger. https://www.w3.org/Graphics/GIF/spec-gif89a.txt
 */
function gifHeader(file: Buffer): ImageHeader | undefined {
  const flags = file.readUInt8(10);
  let at = 13 + ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  while (file.readUInt8(at) === EXTENSION) {
    at += 2;
    for (let size = file.readUInt8(at); size !== 0; size = file.readUInt8(at)) at += size + 1;
    at += 1;
  }
  if (file.readUInt8(at) !== IMAGE) return undefined;
  const along = (screen: number, offset: number, size: number) =>
    Math.max(
      file.readUInt16LE(screen),
      file.readUInt16LE(at + offset) + file.readUInt16LE(at + size),
    );
  return { type: 'gif', width: along(6, 1, 5), height: along(8, 3, 7) };
}

/** Frame markers of all codings; C4, C8 and CC mark tables. */
const FRAMES = new Set([
  ...[0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf],
]);

/** https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.2 */
function jpegHeader(file: Buffer): ImageHeader | undefined {
  for (let at = 2; ; ) {
    if (file.readUInt8(at) !== 0xff) return undefined;
    const marker = file.readUInt8(at + 1);
    // Any number of these may pad the space between segments.
    if (marker === 0xff) {
      at += 1;
    } else if (FRAMES.has(marker)) {
      return { type: 'jpeg', width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) };
    } else {
      at += 2 + file.readUInt16BE(at + 2);
    }
  }
}

/** https://developers.google.com/speed/webp/docs/riff_container, and the bitstreams' own headers. */
function webpHeader(file: Buffer): ImageHeader | undefined {
  if (file.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  const form = file.toString('latin1', 12, 16);
  const sized = (width: number, height: number): ImageHeader => ({ type: 'webp', width, height });
  if (form === 'VP8X') return sized(file.readUIntLE(24, 3) + 1, file.readUIntLE(27, 3) + 1);
  if (form === 'VP8L') {
    const bits = file.readUInt32LE(21);
    return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
  }
  if (form !== 'VP8 ') return undefined;
  return sized(file.readUInt16LE(26) & 0x3fff, file.readUInt16LE(28) & 0x3fff);
}

function isSvg(file: Buffer): boolean {
  const start = file
    .toString('utf8', 0, 1_000)
    .replace(/^\ufeff/, '')
    .trimStart();
  return /^(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+)?svg[\s>]/is.test(start);
}

/** Bytes; icons have a few thousand. */
const SIZE_MAX = 200_000;
const ELEMENTS_MAX = 3_000;
/** Copies of copies multiply; this many make a few hundred at most. */
const USES_MAX = 16;
const DEPTH_MAX = 60;

/** Elements that draw shapes; none that load, run, repeat or blur. */
const ELEMENTS = new Set([
  ...['svg', 'g', 'defs', 'symbol', 'use', 'title', 'desc', 'metadata', 'style', 'path', 'rect'],
  ...['circle', 'ellipse', 'line', 'polyline', 'polygon', 'lineargradient', 'radialgradient'],
  ...['stop', 'clippath', 'mask', 'text', 'tspan'],
]);

const TAG = /<(\/?)([\w:.-]+)((?:"[^"]*"|'[^']*'|[^"'>])*?)(\/?)>/g;
const OUTSIDE = [
  // Declarations of entities or external style sheets; only the XML declaration may start like this.
  /<!(?!--|\[CDATA\[)/,
  /<\?(?!xml\s)/,
  /@import/i,
  // References to anything but parts of the picture itself.
  /\b(?:href|src)\s*=\s*(?:"\s*[^#"]|'\s*[^#']|[^"'\s])/i,
  /url\(\s*['"]?\s*[^#'"\s]/i,
  /\bon\w+\s*=/i,
];

/**
 * Whether an SVG does nothing but draw. Anything doubtful is refused rather than sanitized: a list of dangers
 * always misses one.
 */
function isSafeSvg(file: Buffer): boolean {
  if (file.length > SIZE_MAX) return false;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(file);
  } catch {
    return false;
  }
  if (OUTSIDE.some((pattern) => pattern.test(text))) return false;
  return areFew(text.replace(/<!--[\s\S]*?-->/g, ''));
}

/** Whether all elements are known, and not too many or too deeply nested. */
function areFew(text: string): boolean {
  let elements = 0;
  let uses = 0;
  let depth = 0;
  for (const [, closing, name = '', , empty] of text.matchAll(TAG)) {
    if (name.includes(':') ? !isForeign(name) : !ELEMENTS.has(name.toLowerCase())) return false;
    if (closing === '/') {
      depth -= 1;
      continue;
    }
    elements += 1;
    if (name.toLowerCase() === 'use') uses += 1;
    if (empty === '') depth += 1;
    if (elements > ELEMENTS_MAX || uses > USES_MAX || depth > DEPTH_MAX) return false;
  }
  // Tags that the pattern missed.
  return elements > 0 && depth === 0 && (text.match(/<[\w:]/g) ?? []).length === elements;
}

/** Editors' metadata, which nothing draws. */
function isForeign(name: string): boolean {
  return /^(?:sodipodi|inkscape|rdf|cc|dc|sketch):/i.test(name);
}
