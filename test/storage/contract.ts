import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Reading, ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import { shortAddress, type Wallet } from '#wallet/wallet';
import {
  ALGO_A,
  ALL_WALLETS,
  activityOf,
  badgeNamed,
  batchOf,
  ETH_A,
  ETH_B,
  SOL_A,
  SOL_B,
  writeTo,
} from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';

/** What the contract needs to run on a store. */
export interface StoreUnderTest {
  /** Opens an empty store. */
  open(): Promise<Store>;
  /** Opens the last store again, as another process does; not for in-memory stores. */
  again?(): Promise<Store>;
  /** Runs SQL on the last store, to force a state; not for in-memory stores. */
  run?(sql: string): Promise<unknown>;
  /** Removes what `open` created. */
  clean(): Promise<void>;
}

/** What every store keeps and serves about wallets; so does an upstream. */
export function storeContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of stores`, () => {
    let store: Store;
    let source: ReputationSource;

    beforeEach(async () => {
      store = await under.open();
      source = await store.openSource();
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    async function write(change: Parameters<typeof batchOf>[0]) {
      const result = await writeTo(store, batchOf(change));
      await refreshed(store);
      return result;
    }

    it('an empty store knows nobody and reports zero', async () => {
      const reading = source.reading();
      expect(await reading.stats()).toEqual({
        totalUsers: 0,
        totalBadgesIssued: 0,
        chains: { ethereum: { users: 0 }, solana: { users: 0 }, algorand: { users: 0 } },
        averageScore: 0,
        topTier: { titan: 0, whale: 0, shark: 0, dolphin: 0, shrimp: 0 },
      });
      expect(reading.asOf).toBeUndefined();
      expect(source.recognise(ETH_A.address)).toBeUndefined();
      expect(await source.reading().reputation(ETH_A)).toBeUndefined();
      expect(await source.reading().badges(ETH_A)).toBeUndefined();
      expect(await source.reading().activity(ETH_A, 50)).toBeUndefined();
      expect(await source.reading().leaderboard({ chain: 'all', limit: 10, offset: 0 })).toEqual({
        leaderboard: [],
        total: 0,
        limit: 10,
        offset: 0,
      });
    });

    it('what is written is returned in full', async () => {
      const before = Math.floor(Date.now() / 1000);
      const result = await write({
        badges: [badgeNamed('voter'), badgeNamed('diver', { tier: 'Legendary', soulbound: false })],
        names: [{ wallet: ETH_A, displayName: 'alice.eth' }],
        activities: [
          activityOf(ETH_A, 'a1', { points: 4000, timestamp: 1_600_000_000 }),
          activityOf(ETH_A, 'a2', { points: 1500, badge: 'voter', type: 'badge_earned' }),
          activityOf(ETH_A, 'a3', { points: 0, badge: 'diver', type: 'badge_earned' }),
          activityOf(SOL_A, 'a1', { points: 600 }),
        ],
      });
      expect(result).toEqual({ added: 4, known: 0 });
      // A source may only recognize a wallet after reading it.
      await source.reading().reputation(ETH_A);
      expect(source.recognise(ETH_A.address)).toEqual(ETH_A);
      // Without a checksum it may be recognized; with a wrong one never.
      const digits = ETH_A.address.slice(2);
      for (const text of [`0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`]) {
        expect([ETH_A, undefined]).toContainEqual(source.recognise(text));
      }
      const swapped = digits.replace(/[a-z]/i, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
      for (const text of [`0x${swapped}`, `0X${digits}`, digits, '0x', '', `${ETH_A.address}0`]) {
        expect(source.recognise(text)).toBeUndefined();
      }
      expect(source.recognise(SOL_A.address.toLowerCase())).toBeUndefined();

      const reputation = await source.reading().reputation(ETH_A);
      expect(reputation).toEqual({
        address: ETH_A.address,
        chain: 'ethereum',
        score: 5500,
        tier: 'Whale',
        rank: 1,
        totalUsers: 2,
        badges: ['Badge diver', 'Badge voter'],
        lastUpdated: expect.any(String),
      });
      const updated = Date.parse(reputation?.lastUpdated ?? '') / 1000;
      expect(updated).toBeGreaterThanOrEqual(before);
      expect(updated).toBeLessThanOrEqual(Date.now() / 1000);
      const reading = source.reading();
      await reading.reputation(ETH_A);
      expect([reading.asOf, reading.ageSeconds, reading.isStale]).toEqual([updated, 0, false]);
      expect(Object.keys(reputation ?? {})).toEqual([
        'address',
        'chain',
        'score',
        'tier',
        'rank',
        'totalUsers',
        'badges',
        'lastUpdated',
      ]);

      expect(await source.reading().badges(ETH_A)).toEqual({
        address: ETH_A.address,
        badges: [
          {
            ...badgeNamed('diver', { tier: 'Legendary', soulbound: false }),
            earnedAt: '2023-11-14T22:13:20Z',
          },
          { ...badgeNamed('voter'), earnedAt: '2023-11-14T22:13:20Z' },
        ],
        total: 2,
      });
      expect(await source.reading().badges(SOL_A)).toEqual({
        address: SOL_A.address,
        badges: [],
        total: 0,
      });
      expect(await source.reading().leaderboard({ chain: 'all', limit: 10, offset: 0 })).toEqual({
        leaderboard: [
          {
            rank: 1,
            address: ETH_A.address,
            displayName: 'alice.eth',
            score: 5500,
            tier: 'Whale',
            badges: 2,
          },
          {
            rank: 2,
            address: SOL_A.address,
            displayName: shortAddress(SOL_A.address),
            score: 600,
            tier: 'Dolphin',
            badges: 0,
          },
        ],
        total: 2,
        limit: 10,
        offset: 0,
      });
      expect(await source.reading().stats()).toEqual({
        totalUsers: 2,
        totalBadgesIssued: 2,
        chains: { ethereum: { users: 1 }, solana: { users: 1 }, algorand: { users: 0 } },
        averageScore: 3050,
        topTier: { titan: 0, whale: 1, shark: 0, dolphin: 1, shrimp: 0 },
      });
    });

    it('the same batch twice changes nothing', async () => {
      const batch = {
        badges: [badgeNamed('voter')],
        names: [{ wallet: ETH_A, displayName: 'alice.eth' }],
        activities: [activityOf(ETH_A, 'a1', { badge: 'voter' }), activityOf(SOL_A, 'a1')],
      };
      await write(batch);
      const standing = async () => {
        const reading = source.reading();
        return [await reading.reputation(ETH_A), await reading.stats(), reading.revision];
      };
      const first = await standing();
      expect(await write(batch)).toEqual({ added: 0, known: 2 });
      expect(await standing()).toEqual(first);
    });

    it('a duplicate activity in one batch counts once', async () => {
      const twice = [activityOf(ETH_A, 'a1'), activityOf(ETH_A, 'a1')];
      expect(await write({ activities: twice })).toEqual({ added: 1, known: 1 });
      expect((await source.reading().reputation(ETH_A))?.score).toBe(10);
    });

    it('several wallets at once get the same answers as each alone, in the order asked', async () => {
      const asked = [SOL_A, ETH_B, ETH_A, SOL_B, ETH_A];
      const unseen = await source.reading().badgeLists(asked);
      expect(unseen).toEqual(asked.map(() => undefined));
      await write({
        badges: [badgeNamed('voter'), badgeNamed('diver')],
        activities: [
          activityOf(ETH_A, 'a1', { badge: 'voter', timestamp: 1_600_000_000 }),
          activityOf(ETH_A, 'a2', { badge: 'diver' }),
          activityOf(SOL_A, 'a1', { badge: 'voter', points: 70 }),
          activityOf(ETH_B, 'a1'),
        ],
      });
      const alone = source.reading();
      const reading = source.reading();
      const [first, ...records] = await reading.reputations(asked);
      expect([first, ...records]).toEqual(
        await Promise.all(asked.map((wallet) => alone.reputation(wallet))),
      );
      expect(first?.rank).toBe(1);
      expect(await reading.badgeLists(asked)).toEqual(
        await Promise.all(asked.map((wallet) => alone.badges(wallet))),
      );
      const again = source.reading();
      await again.badgeLists(asked);
      expect([again.revision, again.asOf]).toEqual([reading.revision, alone.asOf]);
      expect(await reading.reputations([])).toEqual([]);
      expect(await reading.badgeLists([])).toEqual([]);
    });

    it('every change of the data gets its own revision', async () => {
      const revision = async () => {
        const reading = source.reading();
        await reading.stats();
        return reading.revision;
      };
      const revisions = [await revision()];
      await write({ badges: [badgeNamed('voter')] });
      revisions.push(await revision());
      await write({ activities: [activityOf(ETH_A, 'a1')] });
      revisions.push(await revision());
      await write({ names: [{ wallet: ETH_A, displayName: 'alice' }] });
      revisions.push(await revision());
      await write({ badges: [badgeNamed('voter', { name: 'Renamed' })] });
      revisions.push(await revision());
      expect(new Set(revisions).size).toBe(revisions.length);
    });

    it('ranks are 1, 2, 2, 4; equal scores are sorted by address', async () => {
      const points = new Map([
        [ETH_B, 100],
        [SOL_B, 50],
        [ETH_A, 50],
        [ALGO_A, 20],
        [SOL_A, 20],
      ]);
      await write({ activities: [...points].map(([w, p]) => activityOf(w, 'a', { points: p })) });
      const all = await source.reading().leaderboard({ chain: 'all', limit: 500, offset: 0 });
      expect(all.leaderboard.map((entry) => [entry.rank, entry.address])).toEqual([
        [1, ETH_B.address],
        [2, ETH_A.address],
        [2, SOL_B.address],
        [4, SOL_A.address],
        [4, ALGO_A.address],
      ]);
      for (const { address, rank } of all.leaderboard) {
        const wallet = ALL_WALLETS.find((each) => each.address === address) as Wallet;
        expect((await source.reading().reputation(wallet))?.rank).toBe(rank);
      }
      const solana = await source.reading().leaderboard({ chain: 'solana', limit: 500, offset: 0 });
      expect(solana.leaderboard.map((entry) => [entry.rank, entry.address])).toEqual([
        [1, SOL_B.address],
        [2, SOL_A.address],
      ]);
      expect(solana.total).toBe(2);
      // A page that starts among ties keeps their rank.
      const page = await source.reading().leaderboard({ chain: 'all', limit: 2, offset: 2 });
      expect(page.leaderboard.map((entry) => entry.rank)).toEqual([2, 4]);
      expect(
        await source.reading().leaderboard({ chain: 'all', limit: 2, offset: 999_999_999 }),
      ).toEqual({
        leaderboard: [],
        total: 5,
        limit: 2,
        offset: 999_999_999,
      });
    });

    it('a score never falls below 0, but what was lost has to be earned again', async () => {
      await write({ activities: [activityOf(ETH_A, 'a1', { points: -50 })] });
      expect(await source.reading().reputation(ETH_A)).toMatchObject({
        score: 0,
        tier: 'Shrimp',
        rank: 1,
      });
      await write({ activities: [activityOf(ETH_A, 'a2', { points: 30 })] });
      expect(await source.reading().reputation(ETH_A)).toMatchObject({ score: 0 });
      await write({ activities: [activityOf(ETH_A, 'a3', { points: 25 })] });
      expect(await source.reading().reputation(ETH_A)).toMatchObject({ score: 5 });
      expect((await source.reading().stats()).averageScore).toBe(5);
    });

    it('what is written before the source is opened is in it', async () => {
      await write({
        badges: [badgeNamed('voter')],
        names: [{ wallet: SOL_B, displayName: 'bob' }],
        activities: ALL_WALLETS.map((wallet, i) =>
          activityOf(wallet, 'a', { points: i % 3, badge: i === 1 ? 'voter' : undefined }),
        ),
      });
      const ask = async (from: Reading) => [
        await from.stats(),
        await from.leaderboard({ chain: 'all', limit: 9, offset: 0 }),
        ...(await Promise.all(ALL_WALLETS.map((wallet) => from.reputation(wallet)))),
        from.revision,
      ];
      expect(await ask((await store.openSource()).reading())).toEqual(await ask(source.reading()));
    });
  });
}
