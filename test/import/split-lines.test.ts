import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLines } from '#cli/import/lines';
import type { InputLine } from '#import/importer';
import { anyString } from '../support/any-string.ts';

async function split(chunks: readonly (string | Uint8Array)[], maxBytes?: number) {
  const bytes = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk as string);
  })();
  const lines: InputLine[] = [];
  for await (const group of splitLines('f', bytes, maxBytes)) lines.push(...group);
  return lines;
}

const seen = (lines: readonly InputLine[]) =>
  lines.map(({ number, text, refusal }) => [number, refusal?.code ?? text]);

function inPieces(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

describe('splitting into lines', () => {
  it.each([
    [
      'a last line without a line break',
      ['a\nb'],
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    [
      'a line break at the end',
      ['a\nb\n'],
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    [
      'CRLF',
      ['a\r\nb\r\n'],
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    [
      'CRLF between two chunks',
      ['a\r', '\nb'],
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    [
      'a byte order mark',
      ['\ufeffa\nb'],
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    [
      'a byte order mark in pieces',
      [Buffer.from([0xef]), Buffer.from([0xbb, 0xbf]), 'a'],
      [[1, 'a']],
    ],
    ['blank lines, which count', ['\n \n\t\r\na\n\n'], [[4, 'a']]],
    [
      'a character between two chunks',
      [Buffer.from([0xc3]), Buffer.from([0xa9, 0x0a])],
      [[1, 'é']],
    ],
    ['nothing', [], []],
    ['one line break', ['\n'], []],
    ['only a byte order mark', ['\ufeff'], []],
  ])('%s', async (_, chunks, expected) => {
    expect(seen(await split(chunks))).toEqual(expected);
  });

  it("refuses a line that isn't UTF-8 and reads its neighbours", async () => {
    const bytes = Buffer.concat([
      Buffer.from('é1\n'),
      Buffer.from([0x61, 0xe9, 0x0a]),
      Buffer.from('é3\r\n\n'),
      Buffer.from([0xed, 0xa0, 0x80, 0x0a]),
      Buffer.from('é6'),
    ]);
    expect(seen(await split([bytes]))).toEqual([
      [1, 'é1'],
      [2, 'not-utf-8'],
      [3, 'é3'],
      [5, 'not-utf-8'],
      [6, 'é6'],
    ]);
  });

  it.each([1, 7, 1000])("refuses a line that's too long, in chunks of %i", async (size) => {
    const long = 'x'.repeat(101);
    const text = `a\n${'y'.repeat(100)}\r\n${long}\n${'é'.repeat(51)}\n${long}${long}${long}\nb\n${long}`;
    const lines = await split(inPieces(Buffer.from(text), [size]), 100);
    expect(seen(lines)).toEqual([
      [1, 'a'],
      [2, 'y'.repeat(100)],
      [3, 'line-too-long'],
      [4, 'line-too-long'],
      [5, 'line-too-long'],
      [6, 'b'],
      [7, 'line-too-long'],
    ]);
    expect(lines[2]?.text).toMatch(/^x+$/);
    expect(lines[2]?.refusal?.reason).toBe('The line has more than 100 bytes.');
  });

  it("doesn't hold a long line in memory", async () => {
    const before = process.memoryUsage().rss;
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const bytes = (async function* () {
      for (let i = 0; i < 300; i++) yield chunk;
      yield Buffer.from('\n{}\n');
    })();
    const lines: InputLine[] = [];
    for await (const group of splitLines('f', bytes)) lines.push(...group);
    expect(seen(lines)).toEqual([
      [1, 'line-too-long'],
      [2, '{}'],
    ]);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('yields the same lines however the bytes arrive', async () => {
    const line = fc.oneof(
      anyString({ maxLength: 12 }).map((text) => text.replaceAll('\n', ' ')),
      fc.constantFrom('', ' ', '\r', 'x'.repeat(40)),
    );
    const breaks = fc.constantFrom('\n', '\r\n');
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    const bytes = fc
      .array(fc.tuple(line, breaks))
      .map((parts) => Buffer.from(parts.flat().join('')));
    await fc.assert(
      fc.asyncProperty(bytes, sizes, async (all, pieces) => {
        expect(seen(await split(inPieces(all, pieces), 32))).toEqual(seen(await split([all], 32)));
      }),
    );
  });
});
