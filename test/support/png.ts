import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** The size of the palette. */
const COLOURS = 256;
/** Places reserved for colours of different kinds. */
const KINDS = 128;

/**
 * Compresses a browser's screenshot to a third: with a palette, which is enough for flat colours and
 * antialiased text. Similar colours are merged. Layout: https://www.w3.org/TR/png-3/
 * @param png eight bits per channel, not interlaced
 */
export function withPalette(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const { palette, indexOf } = choosePalette(pixels);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rows[y * (width + 1) + 1 + x] = indexOf(pixels[y * width + x] as number);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, a palette, and the only methods there are.
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((rgb) => [rgb >> 16, (rgb >> 8) & 255, rgb & 255]))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function decode(png: Buffer): { width: number; height: number; pixels: Uint32Array } {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) !== 'IDAT') continue;
    data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const stride = width * channels;
  const raw = inflateSync(Buffer.concat(data));
  const pixels = new Uint32Array(width * height);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1);
    const line = raw.subarray(start + 1, start + 1 + stride);
    unfilter(raw[start] as number, line, above, channels);
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = line.readUIntBE(x * channels, 3);
    above = line;
  }
  return { width, height, pixels };
}

/** Undoes a row's filter in place. */
function unfilter(type: number, line: Buffer, above: Buffer, channels: number): void {
  for (let i = 0; i < line.length; i += 1) {
    const left = i < channels ? 0 : (line[i - channels] as number);
    const up = above[i] as number;
    const corner = i < channels ? 0 : (above[i - channels] as number);
    const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][type] as number;
    line[i] = ((line[i] as number) + guess) & 255;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((each) => Math.abs(guess - each)) as [
    number,
    number,
    number,
  ];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/**
 * The most common colours, so that areas keep theirs, and one of every kind, so that small things do, too.
 * Every other colour becomes the nearest of these.
 */
function choosePalette(pixels: Uint32Array) {
  const counts = new Map<number, number>();
  for (const rgb of pixels) counts.set(rgb, (counts.get(rgb) ?? 0) + 1);
  const byCount = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const kinds = new Map<number, number>();
  for (const rgb of byCount) {
    if (!kinds.has(rgb & 0xe0e0e0)) kinds.set(rgb & 0xe0e0e0, rgb);
  }
  const chosen = new Set([...kinds.values()].slice(0, KINDS));
  for (const rgb of byCount) {
    if (chosen.size === COLOURS) break;
    chosen.add(rgb);
  }
  const palette = [...chosen];
  const indexes = new Map(byCount.map((rgb) => [rgb, nearest(rgb, palette)]));
  return { palette, indexOf: (rgb: number) => indexes.get(rgb) as number };
}

function nearest(rgb: number, palette: readonly number[]): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, other] of palette.entries()) {
    const red = (rgb >> 16) - (other >> 16);
    const green = ((rgb >> 8) & 255) - ((other >> 8) & 255);
    const blue = (rgb & 255) - (other & 255);
    const distance = red * red + green * green + blue * blue;
    if (distance >= least) continue;
    best = index;
    least = distance;
  }
  return best;
}

function chunk(type: string, data: Buffer): Buffer {
  const made = Buffer.alloc(data.length + 12);
  made.writeUInt32BE(data.length, 0);
  made.write(type, 4, 'latin1');
  data.copy(made, 8);
  made.writeUInt32BE(crc32(made.subarray(4, -4)), made.length - 4);
  return made;
}
