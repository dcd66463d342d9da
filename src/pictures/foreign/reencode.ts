import { Resvg } from '@resvg/resvg-js';
import { readImageHeader } from './image-header.ts';
import { isSafeSvg } from './safe-svg.ts';

/** In pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** 64 MB when decoded. */
const SIDE_MAX = 4_096;
/** It's decoded several times over. */
const WEBP_SIDE_MAX = 2_048;

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
  } else {
    const most = type === 'webp' ? WEBP_SIDE_MAX : SIDE_MAX;
    if (width < 1 || height < 1 || width > most || height > most) {
      throw new RangeError(`it has ${width} by ${height} pixels`);
    }
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
  if (type !== 'webp') return cropped(type, file, size);
  // The renderer can't decode WebP. The other decoder is loaded only where it's needed.
  const { pngOfWebp } = await import('./webp.ts');
  return cropped('png', await pngOfWebp(file), size);
}

function cropped(type: string, file: Buffer, { width, height }: PictureSize): string {
  const uri = `data:image/${type};base64,${file.toString('base64')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="${width}" height="${height}" preserveAspectRatio="xMidYMid slice" href="${uri}"/></svg>`;
}
