import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sampleRanges } from '#sources/read-again';

it('A sample takes about a share of the heights, in order, each once', () => {
  const share = fc.integer({ min: 1, max: 10_000 }).map((part) => part / 10_000);
  const random = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 20 });
  fc.assert(
    fc.property(
      fc.nat(1_000_000),
      fc.nat(1_000_000),
      share,
      random,
      (from, size, part, chances) => {
        let next = 0;
        const whole = { from, to: from + size };
        const ranges = sampleRanges(whole, part, () => chances[next++] as number);
        let last = from;
        for (const range of ranges) {
          expect(range.from).toBeGreaterThanOrEqual(last);
          expect(range.to).toBeGreaterThan(range.from);
          last = range.to;
        }
        expect(last).toBeLessThanOrEqual(whole.to);
        const taken = ranges.reduce((sum, range) => sum + range.to - range.from, 0);
        expect(Math.abs(taken - Math.ceil(size * part))).toBeLessThanOrEqual(20);
      },
    ),
  );
  expect(sampleRanges({ from: 3, to: 10 }, 1, () => 0.9)).toEqual(
    [3, 4, 5, 6, 7, 8, 9].map((from) => ({ from, to: from + 1 })),
  );
  expect(sampleRanges({ from: 3, to: 3 }, 1, () => 0)).toEqual([]);
});
