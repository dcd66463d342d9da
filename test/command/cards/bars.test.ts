import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '#base/text/sanitize-text';
import { TABLE_WIDTH } from '#command/cards/card';
import { renderBars, steps } from '#command/cards/figures';

describe('bars of shares', () => {
  it('have aligned columns, and a bar for the smallest share but not for none', () => {
    const bars = [
      { label: '🔱 Titán', fraction: 0, count: '0', share: '0 %' },
      { label: '🐋 Ballena', fraction: 3 / 51_186, count: '3', share: '< 0,1 %' },
      { label: '🦐 Camarón', fraction: 0.731, count: '37.418', share: '73,1 %' },
    ];
    expect(renderBars(bars)).toEqual([
      '🔱 Titán   ░░░░░░░░      0     0 %',
      '🐋 Ballena █░░░░░░░      3 < 0,1 %',
      '🦐 Camarón ██████░░ 37.418  73,1 %',
    ]);
  });

  it('shrink before words and figures, and disappear if no room is left', () => {
    const bar = { label: '🐋 Ballena', fraction: 0.5, share: '< 0,1 %' };
    expect(renderBars([{ ...bar, count: '12.345.678' }])).toEqual([
      '🐋 Ballena ██░░ 12.345.678 < 0,1 %',
    ]);
    expect(renderBars([{ ...bar, count: '12.345.678.901' }])).toEqual([
      '🐋 Ballena 12.345.678.901 < 0,1 %',
    ]);
  });

  it('never truncate a label, a count or a share that fits a line', () => {
    const cell = (most: number) =>
      fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: most });
    const word = (most: number) => cell(most).map((text) => `x${text.replaceAll(/\s/g, '_')}`);
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ label: word(13), fraction: fc.double(), count: word(8), share: word(7) }),
        ),
        (bars) => {
          for (const [i, line] of renderBars(bars).entries()) {
            const { label, count, share } = bars[i] as (typeof bars)[number];
            expect(displayWidth(line)).toBeLessThanOrEqual(TABLE_WIDTH);
            expect(line.startsWith(label)).toBe(true);
            expect(line.endsWith(share)).toBe(true);
            expect(line).toContain(count);
          }
        },
      ),
    );
  });

  it('are empty or full only for 0 and 1', () => {
    expect([0, 0.0001, 0.9999, 1, Number.NaN].map((share) => steps(share, 4))).toEqual([
      '░░░░',
      '█░░░',
      '███░',
      '████',
      '░░░░',
    ]);
  });
});
