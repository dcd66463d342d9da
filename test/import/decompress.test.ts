import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decompressed } from '#cli/import/inputs';

const MEMBER = gzipSync('hello\n');
const MANY = Buffer.from(Array.from({ length: 40_000 }, (_, i) => `line ${i * 7919}\n`).join(''));

/** The output, and the message of the error that ends it. */
async function read(bytes: Uint8Array, size: number) {
  const chunks = (async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  })();
  const parts: Uint8Array[] = [];
  try {
    for await (const part of decompressed(chunks)) parts.push(part);
    return { text: Buffer.concat(parts).toString(), error: undefined };
  } catch (error) {
    return { text: Buffer.concat(parts).toString(), error: (error as Error).message };
  }
}

describe.each([1, 2, 26, 65_536])('bytes in chunks of %i', (size) => {
  it.each([
    ['plain text', Buffer.from('{"a":1}\n'), '{"a":1}\n'],
    ['nothing', Buffer.alloc(0), ''],
    ['one byte of the magic number', Buffer.from([0x1f]), '\x1f'],
    ['gzip', MEMBER, 'hello\n'],
    ['gzip of several members', Buffer.concat([MEMBER, gzipSync(''), MEMBER]), 'hello\nhello\n'],
    ['gzip that is padded with zeros', Buffer.concat([MEMBER, Buffer.alloc(600)]), 'hello\n'],
  ])('%s', async (_, bytes, text) => {
    expect(await read(bytes, size)).toEqual({ text, error: undefined });
  });

  it.each([
    ['a gzip file that ends too early', MEMBER.subarray(0, -3), /truncated/],
    ['a gzip file of two bytes', MEMBER.subarray(0, 2), /truncated/],
    ['gzip with text after it', Buffer.concat([MEMBER, Buffer.from('more')]), /damaged/],
    ['gzip with a member after zeros', Buffer.concat([MEMBER, Buffer.alloc(9), MEMBER]), /damaged/],
    ['gzip with a wrong checksum', flipped(MEMBER, MEMBER.length - 6), /damaged/],
    ['gzip of no known method', flipped(MEMBER, 2), /damaged/],
  ])('%s', async (_, bytes, message) => {
    expect((await read(bytes, size)).error).toMatch(message);
  });
});

describe('a large gzip file', () => {
  it('is decompressed whole', async () => {
    expect((await read(gzipSync(MANY), 65_536)).text).toBe(MANY.toString());
  });

  it('yields everything up to where it was truncated', async () => {
    const whole = gzipSync(MANY);
    const { text, error } = await read(whole.subarray(0, whole.length - 5_000), 65_536);
    expect(error).toMatch(/truncated/);
    expect(MANY.toString().startsWith(text)).toBe(true);
    expect(text.length).toBeGreaterThan(MANY.length * 0.8);
  });

  it('never needs much memory, however large it becomes', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024), { level: 1 });
    const chunks = (async function* () {
      yield bomb;
    })();
    let bytes = 0;
    const before = process.memoryUsage().rss;
    let most = 0;
    for await (const part of decompressed(chunks)) {
      bytes += part.length;
      most = Math.max(most, process.memoryUsage().rss - before);
    }
    expect(bytes).toBe(200 * 1024 * 1024);
    expect(most).toBeLessThan(150 * 1024 * 1024);
  });

  it('passes on errors of its input', async () => {
    const chunks = (async function* () {
      yield MEMBER.subarray(0, 12);
      throw new Error('EIO');
    })();
    const all = async () => {
      for await (const _ of decompressed(chunks));
    };
    await expect(all()).rejects.toThrow('EIO');
  });
});

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}
