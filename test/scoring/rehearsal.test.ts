import { expect, it } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { Rehearsal, tooMany } from '#scoring/rehearsal/rehearsal';
import type { WalletFigures } from '#scoring/score-versions/score-version';
import type { WalletStanding } from '#scoring/score-versions/store';
import { ETH_A } from '../support/ledger.ts';

const standing = (points: number): WalletStanding => ({
  number: 1,
  wallet: ETH_A,
  imported: { points: 0, activities: 0 },
  given: { points, activities: 1 },
  byRule: new Map([['vote', points]]),
  badges: { imported: [], given: [] },
});

const score = (points: number): WalletFigures => {
  const figures = { capped: 0, decayed: 0, discounted: 0, newest: 0, events: 1 };
  return { activities: 1, sums: [{ rule: 'vote', points, ...figures }], badges: [] };
};

function rehearsed(holders: number, falling: number) {
  const rehearsal = new Rehearsal(DEFAULT_THRESHOLDS);
  for (let i = 0; i < holders; i += 1) rehearsal.add(standing(600), score(i < falling ? 400 : 700));
  return rehearsal.result;
}

it.each([
  [100, 10, false],
  [100, 11, true],
  [10, 5, false],
  [10, 6, true],
  [59, 6, true],
  [60, 6, false],
])('of %i holders of a tier, %i falling are too many: %s', (holders, falling, isTooMany) => {
  const result = rehearsed(holders, falling);
  expect(tooMany(result).map(({ tier }) => tier)).toEqual(isTooMany ? ['Dolphin'] : []);
  expect(result.tiers.find(({ tier }) => tier === 'Shrimp')).toMatchObject({
    ...{ before: 0, after: falling },
  });
});

it('A rehearsal counts wallets that lose all activity as fallen, and new ones not as risers', () => {
  const rehearsal = new Rehearsal(DEFAULT_THRESHOLDS);
  rehearsal.add(standing(600), undefined);
  rehearsal.add({ ...standing(0), given: { points: 0, activities: 0 } }, score(9_000));
  const { tiers, rises, falls, wallets } = rehearsal.result;
  expect(wallets).toBe(2);
  expect(tiers.find(({ tier }) => tier === 'Dolphin')).toMatchObject({ before: 1, fell: 1 });
  expect(tiers.find(({ tier }) => tier === 'Titan')).toMatchObject({ after: 1, rose: 0 });
  expect(rises.map(({ tierBefore, reason }) => [tierBefore, reason])).toEqual([
    [undefined, 'vote +9000'],
  ]);
  expect(falls.map(({ tierAfter }) => tierAfter)).toEqual([undefined]);
});

it('A rehearsal keeps the largest moves, and ranges of scores', () => {
  const rehearsal = new Rehearsal(DEFAULT_THRESHOLDS);
  for (let i = 1; i <= 30; i += 1) rehearsal.add(standing(1_000), score(1_000 + (i % 2 ? i : -i)));
  const { rises, falls, distribution } = rehearsal.result;
  expect(rises.map(({ after }) => after - 1_000)).toEqual([29, 27, 25, 23, 21, 19, 17, 15, 13, 11]);
  expect(falls[0]?.reason).toBe('vote -30');
  expect(distribution.filter(({ before, after }) => before + after > 0)).toEqual([
    { from: 500, to: 999, before: 0, after: 15 },
    { from: 1_000, to: 1_999, before: 30, after: 15 },
  ]);
  expect(distribution.map(({ from, to }) => `${from}-${to}`).slice(0, 6)).toEqual([
    ...['0-0', '1-1', '2-4', '5-9', '10-19', '20-49'],
  ]);
});
