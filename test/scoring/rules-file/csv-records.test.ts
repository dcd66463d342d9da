import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressListSteps, csvRecordSteps } from '#scoring/rules-file/read-file';
import { runSteps } from '#scoring/rules-file/steps';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { addressOf } from '../../support/import-lines.ts';
import { ETH_A, ETH_B } from '../../support/ledger.ts';

const recordsOf = (text: string) => {
  const found: { cells: readonly string[]; line: number }[] = [];
  const unclosed = runSteps(csvRecordSteps(text, (record) => found.push(record) > 0));
  return { found, unclosed };
};
const listOf = (text: string) => runSteps(addressListSteps(text, createWalletParser(chains)));

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

describe('records of a CSV file', () => {
  it('are the rows that were written, with any cells, separator and line ending', () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', ' ', '"', ',', ';', '\t', '\n', '\r', 'é'),
    });
    // A cell is trimmed outside quotes alone; a record of one empty cell is a blank line.
    const row = fc.array(cell, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 8 }),
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.constantFrom('', '\ufeff'),
        (rows, separator, end, mark) => {
          const text = rows.map((cells) => cells.map(quoted).join(separator) + end).join('');
          const { found, unclosed } = recordsOf(mark + text);
          expect(found.map(({ cells }) => cells)).toEqual(rows);
          expect(unclosed).toBeUndefined();
        },
      ),
    );
  });

  it('are whole where a file is read in many windows, with their lines', () => {
    const rows = Array.from({ length: 3_000 }, (_, i) => [
      addressOf('ethereum', i),
      i % 7 === 0 ? `said "no",\nthen\r\nleft`.repeat(i % 70) : `é${i}`,
    ]);
    const text = `\ufeff${rows.map((cells) => `${cells.map(quoted).join(',')}\n`).join('\n')}`;
    const { found } = recordsOf(text);
    expect(found.map(({ cells }) => cells)).toEqual(rows);
    const lines = text.slice(1).split(/\r\n|\n/);
    for (const { cells, line } of found)
      expect(lines[line - 1]).toContain(cells[1]?.split(/\r\n|\n/).at(-1));
  });

  it('may be any text but one with an unclosed quote', () => {
    const text = fc.string({
      unit: fc.constantFrom(
        'a',
        ' ',
        '"',
        '""',
        ',',
        ';',
        '\t',
        '\n',
        '\r',
        '\0',
        '"a, b"',
        '"\n"',
      ),
    });
    fc.assert(
      fc.property(text, (csv) => {
        const { unclosed } = recordsOf(csv);
        if (unclosed === undefined)
          expect(recordsOf(`${csv}\nlast,one`).found.at(-1)?.cells).toEqual(['last', 'one']);
      }),
    );
  });

  it.each([
    ['behind a quoted word', `${ETH_A.address},"Bob" the builder\n${ETH_B.address},x`],
    ['as a space behind a quoted address', `"${ETH_A.address}" ,x\n "${ETH_B.address}"\t,y`],
    ['as a space behind a quoted note', `${ETH_A.address},"a, b\nc" ,x\n${ETH_B.address},y`],
  ])('may have text %s', (_, text) => {
    expect(listOf(text)).toEqual({ wallets: [ETH_A, ETH_B], faults: [] });
  });

  it('end before a quotation mark that is never closed, also one far ahead of the end', () => {
    const { found, unclosed } = recordsOf(`a,b\n"c,d\n${'e,f\n'.repeat(20_000)}`);
    expect(found.map(({ cells }) => cells)).toEqual([['a', 'b']]);
    expect(unclosed).toEqual({ unclosedFrom: 2 });
  });
});

describe('a list of addresses', () => {
  it('takes a note with line breaks in quotes for a note, whatever stands in it', () => {
    const text = `address,note\n${ETH_A.address},"seen with\n${ETH_B.address}\nin May"\n`;
    expect(listOf(text)).toEqual({ wallets: [expect.objectContaining(ETH_A)], faults: [] });
  });

  it('may have stray quotation marks in notes, blank lines and spaces', () => {
    const text = `${ETH_A.address};12" pipe\n   \n  ${ETH_B.address} ;a "b" c\n`;
    expect(listOf(text).wallets).toHaveLength(2);
  });

  it('leaves nobody out without a word: a row whose first cell alone is empty is a fault', () => {
    const { wallets, faults } = listOf(
      `address,note\n${ETH_A.address},x\n,,\n ; \n,${ETH_B.address}\n"",y\n`,
    );
    expect(wallets.map(({ address }) => address)).toEqual([ETH_A.address]);
    expect(faults.map(({ line }) => line)).toEqual([5, 6]);
  });

  it.each([',', ';', '\t'])(
    'may begin with the line that tells Excel its separator: %j',
    (sign) => {
      const text = `\ufeffsep=${sign}\r\nAddress${sign}note\r\n${ETH_A.address}${sign}sep=${sign}\r\n`;
      const { wallets, faults } = listOf(text);
      expect(wallets.map(({ address }) => address)).toEqual([ETH_A.address]);
      expect(faults).toEqual([]);
    },
  );

  it('names the line of a quotation mark that is never closed', () => {
    expect(listOf(`${ETH_A.address},ok\n${ETH_B.address},"no\n`).faults).toEqual([
      { line: 2, message: 'A quotation mark is opened here and never closed.' },
    ]);
  });
});
