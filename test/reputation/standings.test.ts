import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Standings } from '#reputation/standings/standings';
import { CHAINS, type Chain } from '#wallet/wallet';

/** The plain model: a map of sums, sorted again for every question. */
class Model {
  readonly points = new Map<number, number>();
  readonly chain = new Map<number, Chain>();
  readonly address = new Map<number, string>();

  score(wallet: number): number {
    return Math.max(0, this.points.get(wallet) ?? 0);
  }

  ordered(chain: Chain | 'all'): number[] {
    return [...this.points.keys()]
      .filter((wallet) => chain === 'all' || this.chain.get(wallet) === chain)
      .sort((a, b) => {
        const byScore = this.score(b) - this.score(a);
        return byScore || ((this.address.get(a) ?? '') < (this.address.get(b) ?? '') ? -1 : 1);
      });
  }
}

const BADGES = ['zeta', 'alpha', 'mid'];

function badge(id: string) {
  return {
    id,
    name: id,
    description: '',
    tier: 'Common',
    imageUrl: 'https://x.test/',
    soulbound: false,
  } as const;
}

function define(standings: Standings): void {
  const draft = standings.draftBadges();
  draft.define(BADGES.map((id, i) => [i + 1, badge(id)]));
  standings.useBadges(draft);
}

function expectEqual(standings: Standings, model: Model): void {
  for (const chain of ['all', ...CHAINS] as const) {
    const ordered = model.ordered(chain);
    expect(standings.users(chain)).toBe(ordered.length);
    expect(standings.page(chain, 0, ordered.length + 1)).toEqual(ordered);
    const offset = Math.floor(ordered.length / 2);
    expect(standings.page(chain, offset, 3)).toEqual(ordered.slice(offset, offset + 3));
    for (const wallet of ordered.slice(0, 50)) {
      const score = model.score(wallet);
      const higher = ordered.filter((other) => model.score(other) > score).length;
      expect(standings.rank(score, chain)).toBe(1 + higher);
    }
  }
  const scores = model.ordered('all').map((wallet) => model.score(wallet));
  expect(standings.scoreSum).toBe(scores.reduce((a, b) => a + b, 0));
  expect(standings.countFrom(500)).toBe(scores.filter((score) => score >= 500).length);
}

/** Some beyond what 32 bits hold. */
const time = fc.oneof(
  fc.constantFrom(0, -1, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32, 253_402_300_799),
  fc.integer({ min: 0, max: 9 }),
);

const change = fc.record({
  wallet: fc.integer({ min: 1, max: 40 }),
  points: fc.oneof(fc.integer({ min: -600, max: 600 }), fc.constantFrom(0, 500, 10)),
  badge: fc.integer({ min: 0, max: 3 }),
});

it('The table of standings matches a plain sort in order, ranks and sums after single changes', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const standings = new Standings();
      define(standings);
      const model = new Model();
      const badges = new Map<number, Set<string>>();
      for (const { wallet, points, badge } of changes) {
        if (!standings.has(wallet)) {
          const chain = CHAINS[wallet % 3] as Chain;
          const address = `address-${(wallet * 7919) % 97}-${wallet}`;
          standings.addWallet(wallet, chain, address);
          model.chain.set(wallet, chain);
          model.address.set(wallet, address);
        }
        standings.apply(wallet, { activities: 1, points, committedAt: 7 });
        if (badge > 0) standings.addBadge(wallet, badge, 1);
        model.points.set(wallet, (model.points.get(wallet) ?? 0) + points);
        const held = badges.get(wallet) ?? new Set();
        if (badge > 0) held.add(BADGES[badge - 1] as string);
        badges.set(wallet, held);
      }
      expectEqual(standings, model);
      for (const [wallet, held] of badges) {
        expect(standings.badgeNames(wallet)).toEqual([...held].sort((a, b) => (a < b ? -1 : 1)));
      }
      expect(standings.badgesIssued).toBe(
        [...badges.values()].reduce((sum, held) => sum + held.size, 0),
      );
    }),
    { numRuns: 200 },
  );
});

it('The table of standings equals single changes after bulk loading, and continues from there', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: -50, max: 200_000 }), fc.integer({ min: 0, max: 2 })), {
        minLength: 1,
        maxLength: 3000,
      }),
      fc.array(change, { maxLength: 50 }),
      (rows, changes) => {
        const standings = new Standings();
        define(standings);
        const model = new Model();
        let addresses = '';
        for (const [i, [points, chainIndex]] of rows.entries()) {
          const wallet = i + 1;
          const chain = CHAINS[chainIndex] as Chain;
          const address = `w${(wallet * 7919) % 10_007}x${wallet}`;
          addresses += `${address}\n`;
          model.points.set(wallet, points);
          model.chain.set(wallet, chain);
          model.address.set(wallet, address);
        }
        const columns = {
          ids: rows.map((_, i) => i + 1),
          chains: rows.map(([, chainIndex]) => chainIndex),
          points: rows.map(([points]) => points),
          activities: rows.map(() => 1),
          updatedAt: rows.map(() => 5),
          addresses: new TextEncoder().encode(addresses),
        };
        standings.reserve(rows.length);
        standings.reserveBadges(10);
        standings.loadWallets(columns, rows.length);
        const byAddress = [...model.address.entries()].sort((a, b) => (a[1] < b[1] ? -1 : 1));
        standings.rankAll(Uint32Array.from(byAddress, ([wallet]) => wallet));
        expectEqual(standings, model);
        for (const { wallet, points } of changes) {
          if (wallet > rows.length) continue;
          standings.apply(wallet, { activities: 1, points, committedAt: 9 });
          model.points.set(wallet, (model.points.get(wallet) ?? 0) + points);
        }
        expectEqual(standings, model);
      },
    ),
    { numRuns: 40 },
  );
});

it('The table of standings splits and merges blocks over thousands of changes without losing members', () => {
  const standings = new Standings();
  const model = new Model();
  let random = 12345;
  const next = (n: number) => {
    random = (Math.imul(random, 1103515245) + 12345) >>> 0;
    return (random >>> 8) % n;
  };
  for (let wallet = 1; wallet <= 5000; wallet++) {
    standings.addWallet(wallet, 'solana', `s${next(1_000_000)}-${wallet}`);
    model.address.set(wallet, standings.address(wallet));
    model.chain.set(wallet, 'solana');
  }
  for (let i = 0; i < 30_000; i++) {
    const wallet = 1 + next(5000);
    // First all climb, then all fall to a few scores: blocks fill, split, empty and merge.
    const points = i < 15_000 ? next(100_000) : -Math.min(standings.score(wallet), next(150_000));
    standings.apply(wallet, { activities: 1, points, committedAt: 1 });
    model.points.set(wallet, (model.points.get(wallet) ?? 0) + points);
  }
  expectEqual(standings, model);
});

it('The table of standings finds a wallet by its exact address only, never by its name', () => {
  const standings = new Standings();
  for (let wallet = 1; wallet <= 3000; wallet++)
    standings.addWallet(wallet, 'algorand', `ADDRESS${wallet}`);
  for (let wallet = 1; wallet <= 3000; wallet++) {
    expect(standings.find(`ADDRESS${wallet}`)).toBe(wallet);
  }
  expect(standings.find('address1')).toBe(0);
  expect(standings.find('')).toBe(0);
  expect(standings.find('ADDRESS3001')).toBe(0);
  standings.setName(7, 'Ünï 🐳');
  expect(standings.name(7)).toBe('Ünï 🐳');
  expect(standings.name(8)).toBeUndefined();
});

it.each(['\u3164', '\u2800', '\u200b\u2060'])(
  'The table of standings takes %j for no name: nobody sees it',
  (name) => {
    const standings = new Standings();
    standings.addWallet(1, 'ethereum', 'address1');
    standings.setName(1, 'Marina');
    standings.setName(1, name);
    expect(standings.name(1)).toBeUndefined();
    expect(standings.namesakes('Marina', 5)).toEqual([]);
  },
);

it.each([
  ['an Ethereum address', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['one in wide letters', '０ｘ5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['one with an invisible sign', '0x5aAeb6053F3E94C9b9A09f33\u200b669435E7Ef1BeAed'],
  ['a Solana address', 'So11111111111111111111111111111111111111112'],
  ['an Algorand address', 'A2'.repeat(29)],
  ['one shortened as we do', '0x5aAe…eAed'],
  ['one of Solana shortened as we do', 'So1111…1112'],
  ['one shortened by three dots', '0x5aAe...eAed'],
  ['one shortened by other signs', '0x5aAe⋯eAed'],
])('The table of standings takes %s for no name: it would be another wallet’s', (_, name) => {
  const standings = new Standings();
  standings.addWallet(1, 'ethereum', 'address1');
  standings.setName(1, name);
  expect(standings.name(1)).toBeUndefined();
  expect(standings.namesakes(name, 5)).toEqual([]);
});

it.each([
  '0xmaki',
  '0xmaki.eth',
  '0xdead-beef',
  'Wait...what',
  'The Ancient Mariners of the Deep Blue Sea',
])('The table of standings takes %s for a name', (name) => {
  const standings = new Standings();
  standings.addWallet(1, 'ethereum', 'address1');
  standings.setName(1, name);
  expect(standings.name(1)).toBe(name);
});

it('The table of standings recognises addresses that begin with 0x in one case too, and others only as they are', () => {
  const standings = new Standings();
  const of = (wallet: number) => `0xaBcD${wallet.toString(16)}`;
  for (let wallet = 1; wallet <= 3000; wallet++)
    standings.addWallet(wallet, 'ethereum', of(wallet));
  standings.addWallet(3001, 'solana', 'SoLaNa');
  for (let wallet = 1; wallet <= 3000; wallet++) {
    const address = of(wallet);
    expect(standings.find(address)).toBe(wallet);
    for (const text of [address, `0x${address.slice(2).toUpperCase()}`, address.toLowerCase()]) {
      expect(standings.recognise(text)).toBe(wallet);
      expect(standings.find(text)).toBe(text === address ? wallet : 0);
    }
    // Its checksum is wrong.
    expect(standings.recognise(`0xAbcD${wallet.toString(16)}`)).toBe(0);
  }
  expect(standings.recognise('SoLaNa')).toBe(3001);
  expect(standings.recognise('solana')).toBe(0);
  for (const text of ['', '0x', 'SoLaNaé', 'SoLaN\u0161', 'x'.repeat(10_000), of(1) + of(2)]) {
    expect(standings.recognise(text)).toBe(0);
    expect(standings.find(text)).toBe(0);
  }
});

it('The table of standings remembers when badges were earned: the earliest time, or the one that was set', () => {
  const step = fc.record({
    wallet: fc.integer({ min: 1, max: 4 }),
    badge: fc.integer({ min: 1, max: 12 }),
    time,
    what: fc.constantFrom('add', 'add', 'add', 'set', 'remove'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const standings = new Standings();
      const draft = standings.draftBadges();
      draft.define(Array.from({ length: 12 }, (_, i) => [i + 1, badge(`b${(i * 5) % 12}`)]));
      standings.useBadges(draft);
      const model = new Map<string, number>();
      for (let wallet = 1; wallet <= 4; wallet++)
        standings.addWallet(wallet, 'solana', `w${wallet}`);
      for (const { wallet, badge: number, time: at, what } of steps) {
        const key = `${wallet} ${number}`;
        const before = model.get(key);
        if (what === 'add') {
          standings.addBadge(wallet, number, at);
          model.set(key, Math.min(before ?? at, at));
        } else if (what === 'set') {
          standings.setEarnedAt(wallet, number, at);
          if (before !== undefined) model.set(key, at);
        } else {
          standings.removeBadge(wallet, number);
          model.delete(key);
        }
      }
      for (let wallet = 1; wallet <= 4; wallet++) {
        const held = Array.from({ length: 12 }, (_, i) => i + 1)
          .filter((number) => model.has(`${wallet} ${number}`))
          .map((number) => [`b${((number - 1) * 5) % 12}`, model.get(`${wallet} ${number}`)])
          .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
        expect(standings.badges(wallet, ({ id }, at) => [id, at])).toEqual(held);
      }
    }),
  );
});
