import { describe, expect, it } from 'vitest';
import { cellAddress, cellText } from '#import/sheet/cells';

const ANN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
/** As long as a row may be. */
const LONG = 64 * 1024;

describe('a cell', () => {
  it.each([
    ['  a b\u00a0', 'a b'],
    ['\u200b\ufeffa\u{e0001}\u{e0020}', 'a'],
    ['\u{1f433} ', '\u{1f433}'],
    [' \t\n', ''],
    ['', ''],
    ["'0012", '0012'],
    ['="0012"', '0012'],
    ['\ud83d', '\ud83d'],
  ])('%j is read as %j', (cell, text) => {
    expect(cellText(cell)).toBe(text);
  });

  it('has the address in an explorer’s URL, but none in a text that is longer than any', () => {
    expect(cellAddress(`https://etherscan.io/address/${ANN} `)).toBe(ANN);
    const long = `${'word '.repeat(LONG / 5)}${ANN}`;
    expect(cellAddress(long)).toBe(long);
  });

  // Tried at every space, an expression takes seconds for each of them.
  it.each([' ', '\u200b', '#', '://#'])('full of %j is read at once', (sign) => {
    const cell = `a${sign.repeat(LONG / sign.length)}b`;
    for (let row = 0; row < 300; row++) {
      expect(cellText(cell)).toBe(cell);
      expect(cellAddress(cell)).toBe(cell);
    }
  });
});
