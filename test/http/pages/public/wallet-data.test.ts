import { expect, it } from 'vitest';
import { collectWallet, isPartial } from '#http/pages/public/wallet/sections';
import { FixedSource, WHALE } from '../../../support/fixed-source.ts';

const SCORE = 700;

/** A source whose data changes while each of the first readings of a page is under way. */
function sourceChanging(times: number): FixedSource {
  const source = new FixedSource([{ ...WHALE, score: SCORE }]);
  const activity = source.activity.bind(source);
  let changes = 0;
  return Object.assign(source, {
    activity(...given: Parameters<typeof activity>) {
      if (changes < times) source.revision = `changed-${++changes}`;
      return activity(...given);
    },
  });
}

it.each([
  ['not at all', 0],
  ['once', 1],
  ['twice', 2],
])('A wallet’s page has all parts if the data changes %s while it is read', async (_, times) => {
  const data = await collectWallet(sourceChanging(times), WHALE, 'en');
  expect(data?.reputation.score).toBe(SCORE);
  expect(data?.badges).toMatchObject({ value: { address: WHALE.address } });
  expect(data && isPartial(data)).toBe(false);
});

it('A wallet’s page has the reputation alone if the data changes whenever it is read', async () => {
  const data = await collectWallet(sourceChanging(Number.POSITIVE_INFINITY), WHALE, 'en');
  expect(data?.reputation.score).toBe(SCORE);
  expect([data?.badges, data?.breakdown, data?.history, data?.activity]).toEqual(
    Array(4).fill('unavailable'),
  );
  expect(data?.events.size).toBe(0);
});
