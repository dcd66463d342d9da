import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { Standings } from '#reputation/standings/standings';
import type { Follower } from '#storage/following/follow';
import { LedgerPosition } from '#storage/following/position';
import { DAYS_MAX, GrowthCounter, type GrowthRows, type PackedDays } from '#storage/growth';
import { ETH_A, SOL_A } from '../support/ledger.ts';

// `within` waits by these.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

const NOTHING: PackedDays = { last: undefined, count: 0, pairs: null };

/** @param first pairs of a wallet and 1 + its first day */
function step(last: number, ...first: (readonly [wallet: number, day: number])[]): PackedDays {
  const pairs = first.map(([wallet, day]) => wallet * DAYS_MAX + day).join(',');
  return { last, count: first.length, pairs: Buffer.from(pairs) };
}

function open(rows: Partial<GrowthRows>, { seq = 0, edition = 0, change = 0 } = {}) {
  const standings = new Standings();
  standings.addWallet(1, 'ethereum', ETH_A.address);
  standings.addWallet(2, 'solana', SOL_A.address);
  const position = Object.assign(new LedgerPosition(), { seq, edition, change });
  const follower = { shown: { standings, position } };
  const all = { imported: () => NOTHING, scored: () => NOTHING, changed: () => NOTHING, ...rows };
  return { follower, position, counter: new GrowthCounter(follower as Follower, all) };
}

const joined = (ethereum: number, solana: number) => ({ ethereum, solana, algorand: 0 });

it('The history of growth answers without what is still being counted', async () => {
  const gate = Promise.withResolvers<PackedDays>();
  const later = Promise.withResolvers<PackedDays>();
  const { counter, position } = open(
    { imported: (after) => (after === 0 ? gate.promise : later.promise) },
    { seq: 1 },
  );
  const first = counter.growth();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await first).toBeUndefined();
  gate.resolve(step(1, [1, 11]));
  const days = [{ day: 10, joined: joined(1, 0) }];
  expect(await counter.growth()).toEqual({ days, isBehind: false });
  position.seq = 2;
  const second = counter.growth();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await second).toEqual({ days, isBehind: true });
  later.resolve(step(2, [2, 11]));
  expect(await counter.growth()).toEqual({
    days: [{ day: 10, joined: joined(1, 1) }],
    isBehind: false,
  });
});

it('The history of growth reads nothing twice, and nothing at all while there is nothing new', async () => {
  const imported = vi.fn((after: number) => step(after + 1, [1, 11]));
  const { counter, position } = open({ imported }, { seq: 1 });
  await Promise.all([counter.growth(), counter.growth()]);
  await counter.growth();
  expect(imported).toHaveBeenCalledTimes(1);
  position.seq = 2;
  await counter.growth();
  expect(imported.mock.calls.map(([after]) => after)).toEqual([0, 1]);
});

it('The history of growth starts over where changes were deleted before they were counted', async () => {
  let wallets = step(2, [1, 11], [2, 12]);
  const { counter, position } = open(
    {
      scored: (after) => (after === 0 ? wallets : NOTHING),
      // Two of the three are gone, which took back what the second wallet had.
      changed: () => step(8, [1, 10]),
    },
    { edition: 1, change: 5 },
  );
  await counter.growth();
  wallets = step(1, [1, 10]);
  position.change = 8;
  expect((await counter.growth())?.days).toEqual([{ day: 9, joined: joined(1, 0) }]);
});

it('The history of growth starts over when everything was reloaded', async () => {
  const { counter, follower } = open({ imported: () => step(1, [1, 11]) }, { seq: 1 });
  await counter.growth();
  const { position } = follower.shown;
  const standings = new Standings();
  standings.addWallet(1, 'algorand', SOL_A.address);
  follower.shown = { standings, position };
  expect((await counter.growth())?.days[0]?.joined).toMatchObject({ ethereum: 0, algorand: 1 });
});

it('The history of growth tries again after a fault', async () => {
  let isAway = true;
  const { counter } = open(
    {
      imported() {
        if (isAway) throw new RetryableError('away');
        return step(1, [1, 11]);
      },
    },
    { seq: 1 },
  );
  await expect(counter.growth()).rejects.toThrow('away');
  isAway = false;
  expect((await counter.growth())?.days).toHaveLength(1);
});
