import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FIT_SHARES,
  fitThresholds,
  parseThresholds,
  TIERS,
  thresholdsText,
  tierOf,
} from '#reputation/tier';

const countsOf = (scores: readonly number[]) => {
  const counts = new Map<number, number>();
  for (const score of scores) counts.set(score, (counts.get(score) ?? 0) + 1);
  return counts;
};

/** The number of wallets in each tier, by thresholds that fit. */
function spreadOf(scores: readonly number[]): number[] | undefined {
  const fit = fitThresholds(countsOf(scores));
  if (fit === undefined) return undefined;
  return TIERS.map((tier) => scores.filter((score) => tierOf(score, fit) === tier).length);
}

describe('thresholds that fit', () => {
  it('give each tier its share where scores differ', () => {
    const scores = Array.from({ length: 1_000 }, (_, i) => i * 7);
    expect(spreadOf(scores)).toEqual([10, 40, 100, 250, 600]);
    expect(fitThresholds(countsOf(scores))).toEqual({
      ...{ titan: 6_930, whale: 6_650, shark: 5_950, dolphin: 4_200 },
    });
  });

  it('keep wallets with equal scores together, as near to the share as that allows', () => {
    const scores = [
      ...Array.from({ length: 30 }, () => 500),
      ...[400, 300],
      ...Array.from({ length: 68 }, () => 100),
    ];
    expect(spreadOf(scores)).toEqual([30, 1, 1, 68, 0]);
  });

  it('are as round as they can be without changing who is in which tier', () => {
    expect(thresholdsText(fitThresholds(countsOf([9_876, 1_234, 87, 7, 6])) as never)).toBe(
      'titan=9000,whale=1000,shark=80,dolphin=7',
    );
  });

  it.each([
    ['nobody', []],
    ['one wallet', [5]],
    ['everyone with the same score', Array.from({ length: 500 }, () => 25)],
    ['three different scores', [1, 1, 2, 3, 0, 0]],
    ['nobody above 0', [0, 0, 0, 0, 0]],
  ])('can’t be offered with %s', (_, scores) => {
    expect(spreadOf(scores)).toBeUndefined();
  });

  it('are ones that settings accept, with a wallet in each tier that has a threshold', () => {
    const some = fc.array(fc.integer({ min: 0, max: 2 ** 53 - 1 }), { maxLength: 60 });
    const few = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.oneof(some, few), (scores) => {
        const fit = fitThresholds(countsOf(scores));
        const different = new Set(scores.filter((score) => score > 0)).size;
        expect(fit === undefined).toBe(different < 4);
        if (fit === undefined) return;
        if (fit.titan < 1e15) expect(parseThresholds(thresholdsText(fit))).toEqual(fit);
        expect(
          spreadOf(scores)
            ?.slice(0, 4)
            .every((wallets) => wallets > 0),
        ).toBe(true);
      }),
    );
  });

  it('aim at shares that grow', () => {
    const shares = Object.values(FIT_SHARES);
    expect(shares).toEqual([1, 5, 15, 40]);
  });
});
