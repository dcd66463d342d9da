import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rankInWorker } from '#storage/gains/gain-counter';
import { type GainFigures, rankGains } from '#storage/gains/rank-gains';

function figures(scores: readonly number[], sums: readonly number[]): GainFigures {
  const half = sums.map((sum) => Math.trunc(sum / 2));
  return {
    imported: Float64Array.from(half),
    scored: Float64Array.from(sums.map((sum, i) => sum - (half[i] ?? 0))),
    scores: Float64Array.from(scores),
    chains: Uint8Array.from(scores.map((_, i) => i % 3)),
    chainCount: 3,
  };
}

const MOST = 1_000;

it('Gains are ranked as by sorting all of them, no further than a board goes', () => {
  const wallets = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: -20, max: 60 })),
    {
      minLength: 1,
      maxLength: 3 * MOST,
      size: 'max',
    },
  );
  fc.assert(
    fc.property(wallets, (all) => {
      const { gains, boards } = rankGains(
        figures(
          all.map(([score]) => score),
          all.map(([, sum]) => sum),
        ),
      );
      const expected = all
        .map(([score, sum], wallet) => ({ wallet, gained: Math.max(0, Math.min(score, sum)) }))
        .filter(({ wallet, gained }) => wallet > 0 && gained > 0);
      for (const { wallet, gained } of expected) expect(gains[wallet]).toBe(gained);
      const sorted = expected.sort((a, b) => b.gained - a.gained || a.wallet - b.wallet);
      expect(boards[0]).toEqual(sorted.slice(0, MOST));
      for (const chain of [0, 1, 2]) {
        const own = sorted.filter(({ wallet }) => wallet % 3 === chain);
        expect(boards[1 + chain]).toEqual(own.slice(0, MOST));
      }
    }),
    { numRuns: 30 },
  );
});

it('Many wallets are ranked in a thread, with the same result', async () => {
  const scores = Array.from({ length: 20_000 }, (_, i) => (i * 7_919) % 1_000);
  const sums = scores.map((_, i) => ((i * 104_729) % 2_000) - 500);
  const expected = rankGains(figures(scores, sums));
  const given = figures(scores, sums);
  expect(await rankInWorker(given)).toEqual(expected);
  // Handed over, not copied.
  expect(given.scores.length).toBe(0);
});
