import { Resvg } from '@resvg/resvg-js';
import { readImageHeader } from './image-header.ts';
import type { PictureSize } from './picture-size.ts';
import { isSafeSvg } from './safe-svg.ts';

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
  if (type !== 'jpeg' && type !== 'webp') return cropped(type, file, size);
  // The renderer can't decode WebP or CMYK, and leaves phones' photos on their side. The other decoder is loaded
  // only where it's needed.
  const { uprightPng } = await import('./upright.ts');
  return cropped('png', await uprightPng(file, size, SIDE_MAX ** 2), size);
}

function cropped(type: string, file: Buffer, { width, height }: PictureSize): string {
  const uri = `data:image/${type};base64,${file.toString('base64')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="${width}" height="${height}" preserveAspectRatio="xMidYMid slice" href="${uri}"/></svg>`;
}
