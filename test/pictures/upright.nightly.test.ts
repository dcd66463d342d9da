import { Resvg } from '@resvg/resvg-js';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { BadgePictures } from '#pictures/badge-pictures';
import { BADGE_SIZE } from '#pictures/shown/pictures';
import { BANNER_SIZE, fetchBanner, reencodeInSubprocess } from '#pictures/untrusted/image-fetcher';
import { readImageHeader, reencode } from '#pictures/untrusted/reencode';
import type { PictureSize } from '#pictures/untrusted/upright';
import { silentLog } from '../support/log.ts';
import { doorTo, servePictures } from '../support/picture-server.ts';
import { byDayOne, EFFORT, SEED } from '../support/random.ts';

const RED = [230, 20, 20];
const GREEN = [20, 180, 20];
const BLUE = [20, 20, 230];
const WHITE = [250, 250, 250];
/** The corners of the upright picture, and letters for them. */
const CORNERS = { a: RED, b: GREEN, c: BLUE, d: WHITE };
const UPRIGHT = [RED, GREEN, BLUE, WHITE];

/** By Exif orientation, which corners a file has from left to right and from top to bottom. JEITA CP-3451, 4.6.4 */
const STORED = ['abcd', 'badc', 'dcba', 'cdab', 'acbd', 'bdac', 'dbca', 'cadb'] as const;
const ORIENTATIONS = STORED.map((_, i) => i + 1);
/** Of what isn't a JPEG: by day one that lies on its side and one that doesn't, and with every seed others. */
const SOME = EFFORT === 1 ? [1 + (SEED % 4), 5 + (SEED % 4)] : ORIENTATIONS;
const ENCODINGS = {
  jpeg: (picture: Sharp) => picture.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }),
  webp: (picture: Sharp) => picture.webp({ quality: 95 }),
  png: (picture: Sharp) => picture.png(),
  'webp without losses': (picture: Sharp) => picture.webp({ lossless: true }),
} as const;

/** A file that shows four corners, as a camera stores it: turned, with a note of how to turn it back. */
async function photo(
  encoding: keyof typeof ENCODINGS,
  orientation: number,
  { width, height }: PictureSize,
): Promise<Buffer> {
  const isTurned = orientation > 4;
  const [w, h] = isTurned ? [height, width] : [width, height];
  const letters = [...STORED[orientation - 1]!] as (keyof typeof CORNERS)[];
  const pixels = Buffer.alloc(w * h * 3);
  for (let i = 0; i < w * h; i += 1) {
    const corner = (i % w < w / 2 ? 0 : 1) + (i < (w * h) / 2 ? 0 : 2);
    pixels.set(CORNERS[letters[corner]!], i * 3);
  }
  const raw = sharp(pixels, { raw: { width: w, height: h, channels: 3 } });
  return ENCODINGS[encoding](raw).withMetadata({ orientation }).toBuffer();
}

/** Four pixels of a PNG, in the middle of each quarter. */
function cornersOf(png: Uint8Array): number[][] {
  const { width, height } = readImageHeader(Buffer.from(png))!;
  const uri = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="${width}" height="${height}" href="${uri}"/></svg>`;
  const { pixels } = new Resvg(svg).render();
  return [0.25, 0.75].flatMap((y) =>
    [0.25, 0.75].map((x) => {
      const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 4;
      return [...pixels.subarray(at, at + 3)];
    }),
  );
}

/** Which of our colours each one is nearest to: codings with losses change them a little. */
function named(colours: number[][]): number[][] {
  const distance = (a: number[], b: number[]) =>
    a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0);
  return colours.map(
    (seen) => UPRIGHT.toSorted((a, b) => distance(a, seen) - distance(b, seen))[0]!,
  );
}

/** A red frame and a blue one. */
function animation(format: 'webp' | 'gif'): Promise<Buffer> {
  const frame = (colour: number[]) => Buffer.alloc(8 * 8 * 3, Buffer.from(colour));
  const raw = { width: 8, height: 16, channels: 3, pageHeight: 8 } as const;
  return sharp(Buffer.concat([frame(RED), frame(BLUE)]), { raw })
    [format]()
    .toBuffer();
}

describe("a stranger's photo", () => {
  for (const encoding of Object.keys(ENCODINGS) as (keyof typeof ENCODINGS)[]) {
    const tried = encoding === 'jpeg' ? ORIENTATIONS : SOME;
    it.each(tried)(`that is a ${encoding} with orientation %i is upright`, async (value) => {
      const square = await photo(encoding, value, { width: 64, height: 64 });
      expect(named(cornersOf(await reencode(square, BADGE_SIZE)))).toEqual(UPRIGHT);
      // Larger than a banner, in whose shape it is once it's upright.
      const wide = await photo(encoding, value, { width: 1_200, height: 300 });
      const banner = await reencode(wide, BANNER_SIZE);
      expect(readImageHeader(Buffer.from(banner))).toMatchObject(BANNER_SIZE);
      expect(named(cornersOf(banner))).toEqual(UPRIGHT);
    });
  }

  it('is upright as a banner and as the picture of a badge', async () => {
    const file = await photo('jpeg', 6, { width: 320, height: 80 });
    const url = await servePictures((_, response) => void response.end(file));
    const door = doorTo(['127.0.0.1/32']);
    expect(named(cornersOf((await fetchBanner(door, url)).png))).toEqual(UPRIGHT);
    const badges = new BadgePictures({
      fetch: door.fetch,
      reencode: (each) => door.reencode(each, BADGE_SIZE),
      log: silentLog,
    });
    await badges.load(url);
    expect(named(cornersOf(badges.get(url)!.png))).toEqual(UPRIGHT);
  });

  it('in the colours of print is taken', async () => {
    const background = '#e61414';
    const red = sharp({ create: { width: 40, height: 20, channels: 3, background } });
    const file = await red.toColourspace('cmyk').jpeg().toBuffer();
    // Four components, which the header of the frame counts.
    expect(file[file.indexOf(Buffer.of(0xff, 0xc0)) + 9]).toBe(4);
    expect(named(cornersOf(await reencode(file, BADGE_SIZE)))).toEqual([RED, RED, RED, RED]);
  });

  it.each(['webp', 'gif'] as const)('that moves shows its first frame: %s', async (format) => {
    const file = await animation(format);
    // What begins a frame.
    const mark = Buffer.from(format === 'webp' ? 'ANMF' : '\x21\xf9\x04', 'latin1');
    expect(file.indexOf(mark)).toBeLessThan(file.lastIndexOf(mark));
    expect(named(cornersOf(await reencode(file, BADGE_SIZE)))).toEqual([RED, RED, RED, RED]);
  });

  it('of the largest size fits in the memory of the decoder, however thin and turned', async () => {
    const create = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#e61414' } });
    const largest = () => create(4_096, 4_096).withMetadata({ orientation: 6 });
    // Each takes seconds.
    const large = byDayOne([
      () => largest().jpeg({ progressive: true }),
      () => largest().webp({ lossless: true, effort: 0 }),
      () => largest().toColourspace('rgb16').png({ progressive: true, compressionLevel: 1 }),
    ]);
    const files = await Promise.all([
      ...large.map((made) => made().toBuffer()),
      create(4_096, 1).jpeg().withMetadata({ orientation: 6 }).toBuffer(),
      create(1, 4_096).webp().withMetadata({ orientation: 8 }).toBuffer(),
    ]);
    for (const file of files) {
      const made = await reencodeInSubprocess(file, BANNER_SIZE, 60_000);
      expect(readImageHeader(Buffer.from(made))).toMatchObject(BANNER_SIZE);
    }
  });

  it('that breaks off, or has a note of no orientation, is refused or taken as it is', async () => {
    const file = await photo('jpeg', 6, { width: 64, height: 64 });
    await expect(reencode(file.subarray(0, -200), BADGE_SIZE)).rejects.toThrow(RangeError);
    const orientation = Buffer.of(0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0);
    const at = file.indexOf(orientation);
    expect(at).toBeGreaterThan(0);
    const odd = Buffer.from(file);
    odd.writeUInt16LE(9, at + 8);
    const stored = [...STORED[5]].map((letter) => CORNERS[letter as keyof typeof CORNERS]);
    expect(named(cornersOf(await reencode(odd, BADGE_SIZE)))).toEqual(stored);
  });
});
