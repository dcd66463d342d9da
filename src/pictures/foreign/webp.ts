import { crc32, deflateSync } from 'node:zlib';
import { decode } from '@cwasm/webp';

/** Colour with transparency, eight bits per channel, and the only methods there are. */
const RGBA = [8, 6, 0, 0, 0];

/**
 * Unpacks a WebP picture into a PNG, which the renderer can draw. The decoder is libwebp as WebAssembly: what a
 * hostile file does to it stays in its own memory.
 * @throws RangeError if it can't be decoded, as animations can't
 */
export function pngOfWebp(file: Buffer): Buffer {
  const { width, height, data } = decoded(() => decode(file));
  const stride = width * 4;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y += 1) {
    rows.set(data.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(RGBA, 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    // It's read once and dropped.
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function decoded<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw new RangeError("it's a WebP that can't be decoded", { cause: error });
  }
}

/** https://www.w3.org/TR/png-3/#5Chunk-layout */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
