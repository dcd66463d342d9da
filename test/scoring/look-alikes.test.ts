import { expect, it } from 'vitest';
import type { WalletEvents } from '#scoring/score-versions/score-version';
import { LookAlikeSearch } from '#scoring/sybil/look-alikes';
import { ETH_A } from '../support/ledger.ts';

const OPTIONS = { withinSeconds: 600, leastActions: 3, leastRun: 5, leastWallets: 3 };
const ALL = { actions: ['swap', 'bridge', 'vote'], isAll: true };

/** A wallet with these actions, each at its second. */
function walletOf(number: number, ...acts: readonly (readonly [string, number])[]): WalletEvents {
  const events = acts.map(([input, time]) => ({
    ...{ source: 'import', input, height: time, place: `${number}-${time}-${input}`, time },
    args: '{}',
  }));
  return { number, wallet: ETH_A, events };
}

const farm = (number: number, start: number) =>
  walletOf(number, ['swap', start], ['bridge', start + 60], ['vote', start + 9_000]);

function groupsOf(wallets: readonly WalletEvents[]) {
  const search = new LookAlikeSearch(OPTIONS);
  for (const each of wallets) search.add(each);
  return search.groups();
}

it('The search for look-alikes finds wallets that did the same one after the other, whatever their order', () => {
  const wallets = [farm(5, 2_000), farm(1, 1_000), farm(9, 1_400), farm(3, 99_000)];
  expect(groupsOf(wallets)).toEqual([
    { ...ALL, wallets: [1, 9, 5], from: 1_000, to: 11_000, apart: 600 },
  ]);
});

it('The search for look-alikes sets apart who did other things, another order, more, or later', () => {
  const others = [
    walletOf(10, ['bridge', 1_000], ['swap', 1_060], ['vote', 10_000]),
    walletOf(11, ['swap', 1_100], ['bridge', 1_160], ['vote', 10_100], ['vote', 10_101]),
    walletOf(12, ['swap', 1_200], ['bridge', 1_260], ['mint', 10_200]),
    // Every action counts, not just the first.
    walletOf(13, ['swap', 1_300], ['bridge', 1_360], ['vote', 20_000]),
    walletOf(14, ['swap', 1_000], ['bridge', 1_060]),
  ];
  expect(groupsOf([farm(1, 1_000), farm(2, 1_100), ...others])).toEqual([]);
  expect(groupsOf([farm(1, 1_000), farm(2, 1_100), farm(3, 1_101), ...others])).toEqual([
    { ...ALL, wallets: [1, 2, 3], from: 1_000, to: 10_101, apart: 100 },
  ]);
});

it('The search for look-alikes tells groups apart that go on at the same time', () => {
  const slow = (number: number, start: number) =>
    walletOf(number, ['swap', start], ['bridge', start + 5_000], ['vote', start + 9_000]);
  const wallets = [1, 2, 3].flatMap((i) => [farm(i, i * 100), slow(10 + i, i * 100 + 50)]);
  expect(groupsOf(wallets).map((each) => each.wallets)).toEqual([
    [1, 2, 3],
    [11, 12, 13],
  ]);
});

it('The search for look-alikes puts the largest groups first, and goes through very many wallets', () => {
  const many = Array.from({ length: 20_000 }, (_, i) => farm(i + 1, i * 700));
  const wallets = [...many, farm(30_000, 1), farm(30_001, 2), farm(30_002, 3)];
  const [group, ...rest] = groupsOf(wallets);
  expect(group?.wallets).toEqual([1, 30_000, 30_001, 30_002]);
  expect(rest).toEqual([]);
});

/** Five or more actions in a row; some wallets did others before, between or after them. */
const run = (start: number, acts: readonly string[], step = 900) =>
  acts.map((act, i) => [act, start + i * step] as const);
const FARM = ['swap', 'bridge', 'stake', 'mint', 'lend', 'vote', 'claim'];

it('The search for look-alikes finds a run of actions, whatever a wallet did before and after', () => {
  const wallets = [
    walletOf(1, ...run(10_000, FARM)),
    walletOf(2, ['gift', 50], ...run(10_200, FARM), ['swap', 90_000]),
    walletOf(3, ['vote', 10], ['vote', 20], ...run(10_300, FARM), ['mint', 70_000]),
    // One action less at an end.
    walletOf(4, ['gift', 60], ...run(11_500, FARM.slice(1)), ['vote', 90_000]),
    // Something else in the middle, and too late.
    walletOf(5, ...run(10_000, FARM.with(3, 'gift'))),
    walletOf(6, ['gift', 5], ...run(40_000, FARM)),
  ];
  expect(groupsOf(wallets)).toEqual([
    {
      ...{ wallets: [1, 2, 3, 4], actions: FARM.slice(1), isAll: false, apart: 300 },
      ...{ from: 10_900, to: 11_500 + 5 * 900 },
    },
  ]);
});

it('The search for look-alikes joins the overlapping parts of one long run', () => {
  const acts = Array.from({ length: 40 }, (_, i) => `act${i}`);
  const wallets = [1, 2, 3].map((i) => walletOf(i, [`own${i}`, 1], ...run(10_000 + i, acts)));
  expect(groupsOf(wallets)).toEqual([
    { ...{ wallets: [1, 2, 3], actions: acts, isAll: false }, from: 10_001, to: 45_103, apart: 1 },
  ]);
});

it('The search for look-alikes is not led astray by a wallet that repeats itself', () => {
  const often = Array.from({ length: 300 }, () => 'vote');
  const one = walletOf(1, ...run(10_000, often, 10));
  expect(groupsOf([one])).toEqual([]);
  const others = [2, 3].map((i) => walletOf(i, ['swap', 1], ...run(10_000 + i, often, 10)));
  const [group, ...rest] = groupsOf([one, ...others]);
  expect(new Set(group?.wallets)).toEqual(new Set([1, 2, 3]));
  expect(rest).toEqual([]);
});
