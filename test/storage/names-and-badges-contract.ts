import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatTime } from '#base/time/time';
import type { ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import { activityOf, badgeNamed, batchOf, ETH_A, SOL_A, writeTo } from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';
import type { StoreUnderTest } from './contract.ts';

/** How every store keeps display names and badges; so does an upstream. */
export function namesAndBadgesContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of display names and badges`, () => {
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
      await writeTo(store, batchOf(change));
      await refreshed(store);
    }

    it("a display name is found as it's spelt, otherwise in any case, and only while it holds", async () => {
      const named = async (name: string) =>
        (await source.reading().named(name)).map(({ address }) => address);
      await write({
        names: [
          { wallet: ETH_A, displayName: 'Nemo' },
          { wallet: SOL_A, displayName: 'nemo' },
        ],
        activities: [
          activityOf(ETH_A, 'a1', { points: 5 }),
          activityOf(SOL_A, 'a1', { points: 9 }),
        ],
      });
      expect(await named('Nemo')).toEqual([ETH_A.address]);
      expect(await named('nemo')).toEqual([SOL_A.address]);
      expect(await named(' NEMO ')).toEqual([SOL_A.address, ETH_A.address]);
      expect(await named('nem')).toEqual([]);
      expect(await source.reading().nameOf(ETH_A)).toBe('Nemo');
      await write({ names: [{ wallet: SOL_A, displayName: 'O’Neil  Straße' }] });
      expect(await named('nemo')).toEqual([ETH_A.address]);
      expect(await named("o'neil STRASSE")).toEqual([SOL_A.address]);
      expect(await source.reading().nameOf(SOL_A)).toBe('O’Neil  Straße');
    });

    it('the last display name holds; a name alone makes no user', async () => {
      await write({
        names: [
          { wallet: ETH_A, displayName: 'old' },
          { wallet: ETH_A, displayName: 'new' },
          { wallet: SOL_A, displayName: 'nobody' },
        ],
      });
      expect(await source.reading().reputation(SOL_A)).toBeUndefined();
      expect((await source.reading().stats()).totalUsers).toBe(0);
      await write({ activities: [activityOf(ETH_A, 'a1')] });
      const names = async () =>
        (await source.reading().leaderboard({ chain: 'all', limit: 9, offset: 0 })).leaderboard.map(
          (entry) => entry.displayName,
        );
      expect(await names()).toEqual(['new']);
      await write({ names: [{ wallet: ETH_A, displayName: 'newest 🐳' }] });
      expect(await names()).toEqual(['newest 🐳']);
    });

    it('a badge is held once, from the earliest time it was earned', async () => {
      await write({
        badges: [badgeNamed('voter')],
        activities: [activityOf(ETH_A, 'a1', { badge: 'voter', timestamp: 2000 })],
      });
      await write({ activities: [activityOf(ETH_A, 'a2', { badge: 'voter', timestamp: 1000 })] });
      await write({ activities: [activityOf(ETH_A, 'a3', { badge: 'voter', timestamp: 3000 })] });
      const { badges, total } = (await source.reading().badges(ETH_A)) ?? {};
      expect(total).toBe(1);
      expect(badges?.[0]?.earnedAt).toBe(formatTime(1000));
      expect((await source.reading().stats()).totalBadgesIssued).toBe(1);
    });

    it('a redefined badge is shown so everywhere', async () => {
      await write({
        badges: [badgeNamed('voter')],
        activities: [activityOf(ETH_A, 'a1', { badge: 'voter' })],
      });
      await write({ badges: [badgeNamed('voter', { name: 'Elector', tier: 'Epic' })] });
      expect((await source.reading().reputation(ETH_A))?.badges).toEqual(['Elector']);
      expect((await source.reading().badges(ETH_A))?.badges[0]).toMatchObject({
        name: 'Elector',
        tier: 'Epic',
      });
      expect(await store.openWriter().knownBadges()).toEqual(new Set(['voter']));
    });

    it('thousands of badges added at once are all known, and in order', async () => {
      const ids = Array.from({ length: 2_500 }, (_, i) => `b-${(i * 7919) % 10_007}`);
      const held = [...ids.slice(0, 3), ...ids.slice(-3)];
      await write({
        badges: ids.map((id) => badgeNamed(id)),
        activities: held.map((badge, i) => activityOf(ETH_A, `a${i}`, { badge })),
      });
      const names = held.toSorted((a, b) => (a < b ? -1 : 1)).map((id) => `Badge ${id}`);
      expect((await source.reading().reputation(ETH_A))?.badges).toEqual(names);
    });

    it("a batch with an undefined badge isn't added at all", async () => {
      const activities = [activityOf(ETH_A, 'a1'), activityOf(SOL_A, 'a1', { badge: 'ghost' })];
      await expect(async () => write({ activities })).rejects.toThrow('ghost');
      await refreshed(store);
      expect((await source.reading().stats()).totalUsers).toBe(0);
    });
  });
}
