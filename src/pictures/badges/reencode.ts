import { Resvg } from '@resvg/resvg-js';
import { readImageHeader } from './image-header.ts';
import { isSafeSvg } from './safe-svg.ts';

/** Width and height of a badge picture in pixels. */
const SIZE = 256;
/** 64 MB when decoded. */
const SIDE_MAX = 4_096;

/**
 * Draws a stranger's picture as a square PNG of our own, so that nothing of the file itself is passed on.
 * @throws RangeError if it isn't a picture of a sensible size
 */
export function reencode(file: Buffer): Uint8Array {
  const header = readImageHeader(file);
  if (header === undefined) throw new RangeError("it isn't a PNG, JPEG, GIF or SVG");
  const { type, width, height } = header;
  if (type === 'svg+xml') {
    if (!isSafeSvg(file)) throw new RangeError("it's an SVG that does more than draw");
  } else if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX) {
    throw new RangeError(`it has ${width} by ${height} pixels`);
  }
  const rendered = new Resvg(inSquare(type, file), {
    font: { loadSystemFonts: false },
    logLevel: 'off',
  }).render();
  // The renderer leaves out a file that it can't decode, without an error.
  if (rendered.pixels.every((byte) => byte === 0)) throw new RangeError('it draws nothing visible');
  return rendered.asPng();
}

function inSquare(type: string, file: Buffer): string {
  const uri = `data:image/${type};base64,${file.toString('base64')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}"><image width="${SIZE}" height="${SIZE}" preserveAspectRatio="xMidYMid slice" href="${uri}"/></svg>`;
}
