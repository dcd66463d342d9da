import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitizeText } from '#base/text/sanitize-text';
import { foldName } from '#reputation/display-names';
import { NameTable } from '#reputation/standings/lookup-tables';
import { anyString } from '../support/any-string.ts';

describe('a folded name', () => {
  it.each([
    ['Vera.ETH', 'vera.eth'],
    ['Straße', 'STRASSE'],
    ['ΝΈΜΟΣ', 'νέμος'],
    ['e\u0301lan', 'Élan'],
    ['O’Neil', "o'neil"],
    ['two  words\u200b', ' Two Words'],
  ])('A folded name of %j equals that of %j', (one, other) => {
    expect(foldName(one)).toBe(foldName(other));
  });

  it('equals that of the name as it is shown', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), anyString({ maxLength: 100 })), (name) => {
        expect(foldName(sanitizeText(name))).toBe(foldName(name));
      }),
      { numRuns: 30 },
    );
  });
});

describe('the table of names', () => {
  it('finds who has a name now, through any renames and however many share it', () => {
    const change = fc.record({ wallet: fc.integer({ min: 1, max: 40 }), key: fc.nat(6) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4_000, size: 'max' }), (changes) => {
        const keys = new Map<number, string>();
        const table = new NameTable((wallet) => keys.get(wallet) ?? '');
        for (const { wallet, key } of changes) {
          keys.set(wallet, `name ${key}`);
          table.add(wallet, `name ${key}`);
        }
        for (let key = 0; key <= 6; key++) {
          const expected = [...keys].flatMap(([wallet, name]) =>
            name === `name ${key}` ? [wallet] : [],
          );
          const found = table.find(`name ${key}`, 100);
          expect(found.toSorted((a, b) => a - b)).toEqual(expected.toSorted((a, b) => a - b));
          expect(table.find(`name ${key}`, 2).length).toBe(Math.min(2, expected.length));
        }
        expect(table.find('nobody', 10)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('grows with the current names, not with the renames', () => {
    const keys = new Map<number, string>();
    const table = new NameTable((wallet) => keys.get(wallet) ?? '');
    for (let i = 1; i <= 50_000; i++) {
      keys.set(i, `wallet ${i}`);
      table.add(i, `wallet ${i}`);
    }
    for (let i = 1; i <= 50_000; i += 997) expect(table.find(`wallet ${i}`, 5)).toEqual([i]);
  });
});
