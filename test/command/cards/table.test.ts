import fc from 'fast-check';
import { expect, it } from 'vitest';
import { displayWidth } from '#base/text/sanitize-text';
import { type Column, TABLE_WIDTH } from '#command/cards/card';
import { renderTable } from '#command/cards/figures';
import { anyString } from '../../support/any-string.ts';

const COLUMNS: readonly Column[] = [
  { align: 'right' },
  { align: 'left', shrinks: true },
  { align: 'right' },
  { align: 'left' },
];

it('A table aligns columns and omits unneeded ones', () => {
  const rows = [
    ['1', 'leviathan.sol', '12,345', '🔱'],
    ['10', '深海', '50', '🦐'],
  ];
  expect(renderTable(COLUMNS, rows)).toEqual([
    ' 1 leviathan.sol 12,345 🔱',
    '10 深海              50 🦐',
  ]);
});

it('A table shrinks only the column that may shrink, and only if necessary', () => {
  const rows = [['1,234,567', 'a name that is much too long', '999,999', '🐋']];
  expect(renderTable(COLUMNS, rows)).toEqual(['1,234,567 a name that…  999,999 🐋']);
});

it('A table is never too wide and has a line for every row', () => {
  const cell = fc.oneof(anyString(), fc.string({ unit: 'grapheme' }));
  const columns = fc.array(
    fc.record({ align: fc.constantFrom('left' as const, 'right' as const) }),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(fc.oneof(columns, fc.constant(COLUMNS)), fc.array(fc.array(cell)), (all, rows) => {
      const lines = renderTable(all, rows);
      expect(lines).toHaveLength(rows.length);
      for (const line of lines) {
        expect(displayWidth(line)).toBeLessThanOrEqual(TABLE_WIDTH);
        expect(line).not.toMatch(/\p{Cc}/u);
      }
    }),
  );
});
