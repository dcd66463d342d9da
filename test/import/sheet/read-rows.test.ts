import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readRows } from '#cli/import/sheet/read-rows';

/** In chunks of an odd size, so that characters and rows are cut. */
async function read(content: string | Uint8Array, size = 7) {
  const bytes = Buffer.from(content);
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
  const { separator, rows } = await readRows(chunks());
  const all: (string | number)[][] = [];
  for await (const group of rows) all.push(...group.map(({ cells, row }) => [row, ...cells]));
  return { separator, all };
}

const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('the rows of a spreadsheet', () => {
  const TEXT = 'Wallet;Qué\r\n"a;b";"one ""two""\nthree"\r\n\r\n;;\r\nc;é€\r\n';
  const ROWS = [
    [1, 'Wallet', 'Qué'],
    [2, 'a;b', 'one "two"\nthree'],
    [5, 'c', 'é€'],
  ];

  it.each([
    ['UTF-8', TEXT],
    ['UTF-8 with a byte order mark', `\ufeff${TEXT}`],
    ['gzip', gzipSync(TEXT)],
    ['UTF-16', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['big-endian UTF-16', swapped(`\ufeff${TEXT}`)],
    ['UTF-16 without a mark', Buffer.from(TEXT, 'utf16le')],
    ['Mac line ends', TEXT.replaceAll('\r\n', '\r')],
    ["Excel's line with the separator", `sep=;\r\n${TEXT}`],
  ])('are read from %s, with the numbers that a spreadsheet shows', async (_, content) => {
    expect(await read(content)).toEqual({ separator: ';', all: ROWS });
  });

  it.each([
    ['a,b\n1,"2;3;4"\n', ','],
    ['a\tb\n1,5\t2\n', '\t'],
    ['a;b\n1,5;2\n1,5;3\n', ';'],
    ['0xabc\n0xdef\n', ','],
  ])('of %j are separated by %j', async (text, separator) => {
    expect((await read(text)).separator).toBe(separator);
  });

  it.each([
    ['a, "b, c"\n', [[1, 'a', 'b, c']]],
    [
      'a, "b\n\tc" \nd,\t "e"\n',
      [
        [1, 'a', '"b\n\tc" '],
        [2, 'd', 'e'],
      ],
    ],
    [
      'a\t\tb\n\t c\t"d\te"\n',
      [
        [1, 'a', '', 'b'],
        [2, '', 'c', 'd\te'],
      ],
    ],
  ])('may have spaces before a quote: %j', async (text, rows) => {
    expect((await read(text)).all).toEqual(rows);
  });

  it('before a quote that is never closed are read, and the fault names its row', async () => {
    const rows = readRows(
      (async function* () {
        yield Buffer.from(`a,b\n1,2\n3,"${'x\n'.repeat(200_000)}`);
      })(),
    );
    const seen: unknown[] = [];
    const all = (async () => {
      for await (const group of (await rows).rows) seen.push(...group);
    })();
    await expect(all).rejects.toThrow('row 3');
    expect(seen).toHaveLength(2);
  });

  it.each([
    ['PK\x03\x04....', 'workbook'],
    ['', 'empty'],
  ])('are none in %j', async (text, word) => {
    await expect(read(Buffer.from(text, 'latin1'))).rejects.toThrow(word);
  });
});
