import { expect, it } from 'vitest';
import { lastToPrune } from '#storage/changes/feed';

const DAY = 86_400;
const NOW = 1_700_000_000;
const KEPT = { age: 30 * DAY, count: 1_000 };

/** Parts of ten changes each, by how many days ago they were committed. */
const partsOf = (...daysAgo: number[]) =>
  daysAgo.map((days, i) => ({
    ...{ first: 10 * i + 1, count: 10, newest: 10 * daysAgo.length },
    committed_at: NOW - days * DAY,
  }));

it.each([
  ['what is older', [40, 31, 29, 1], 20],
  ['nothing that is younger', [29, 1], undefined],
  ['what a clock that was ahead dated later than what follows', [40, -365, 35, 29], 30],
  ['nothing after it that is younger', [40, -365, 29], 10],
  [
    'nothing that a clock that was behind dated earlier than what came before',
    [29, 19_000, 1],
    undefined,
  ],
])('Pruning removes %s', (_, daysAgo, last) => {
  expect(lastToPrune(partsOf(...daysAgo), KEPT, NOW)).toEqual({ last, isAll: true });
});

it('Pruning removes what is more than are kept', () => {
  const oldest = partsOf(...Array.from({ length: 30 }, () => 1));
  expect(lastToPrune(oldest, { ...KEPT, count: 250 }, NOW).last).toBe(50);
});
