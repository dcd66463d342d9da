/** What a file's header says about a picture, read before it's decoded. */
export interface ImageHeader {
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
