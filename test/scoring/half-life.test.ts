import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { remaining } from '#scoring/fold/open-points';
import { exactRemaining } from '../support/scoring-model.ts';

describe('half-lives', () => {
  it('are exact', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.nat(1000), fc.nat(2 ** 31), fc.maxSafeInteger().map(Math.abs)),
        fc.nat(400),
        fc.integer({ min: 1, max: 200 }),
        (points, days, halfLife) => {
          expect(remaining(points, days, halfLife)).toBe(exactRemaining(points, days, halfLife));
        },
      ),
    );
  });

  it('are exact even where the estimate is close to an integer', () => {
    // ⌊k · 2^(d/h)⌋ and its neighbours are where wrong rounding would show.
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.nat(99), (least, days) => {
        const points = Math.round(least * 2 ** (days / 100));
        for (const each of [points - 1, points, points + 1]) {
          expect(remaining(each, days, 100)).toBe(exactRemaining(each, days, 100));
        }
      }),
    );
  });
});
