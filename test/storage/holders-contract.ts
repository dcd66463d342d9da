import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dayOf, formatTime } from '#base/time/time';
import type { BadgeHolder, HolderPlace } from '#reputation/api-records';
import type { ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import {
  ALGO_A,
  activityOf,
  badgeNamed,
  batchOf,
  ETH_A,
  ETH_B,
  eventOf,
  SOL_A,
  SOL_B,
  writeTo,
} from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';
import { rulesText, ScoredStore } from '../support/scoring.ts';
import type { StoreUnderTest } from './contract.ts';

const DAY = 86_400;
const TODAY = dayOf(1_700_000_000) + 30;
const at = (day: number) => (TODAY + day) * DAY;

/** How every local store lists a badge's holders. */
export function holdersContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of badges' holders`, () => {
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

    const page = (badge: string, limit = 100, after?: HolderPlace) =>
      Promise.resolve(source.reading().badgeHolders({ badge, limit, after }));
    const earned = (wallet: typeof ETH_A, key: string, badge: string, timestamp: number) =>
      activityOf(wallet, key, { type: 'badge_earned', badge, timestamp });

    it('lists them newest first, by pages that neither repeat nor skip one', async () => {
      const times = [at(-3), at(-1), at(-3), at(-3), at(-2)];
      const wallets = [ETH_A, ETH_B, SOL_A, SOL_B, ALGO_A];
      await writeTo(
        store,
        batchOf({
          badges: [badgeNamed('diver'), badgeNamed('other'), badgeNamed('nobody')],
          names: [{ wallet: ETH_B, displayName: 'bob' }],
          activities: wallets.flatMap((wallet, i) => [
            earned(wallet, `a${i}`, 'diver', times[i] as number),
            earned(wallet, `b${i}`, 'other', at(-9)),
          ]),
        }),
      );
      await refreshed(store);
      const whole = await page('diver');
      expect(whole).toMatchObject({ badge: badgeNamed('diver'), total: 5, next: undefined });
      expect(whole?.holders[0]).toEqual({
        ...{ address: ETH_B.address, displayName: 'bob', score: 20, tier: 'Shrimp' },
        earnedAt: formatTime(at(-1)),
      });
      expect(whole?.holders.map(({ earnedAt }) => earnedAt)).toEqual(
        [-1, -2, -3, -3, -3].map((day) => formatTime(at(day))),
      );
      const seen: BadgeHolder[] = [];
      let next: HolderPlace | undefined;
      do {
        const part = await page('diver', 2, next);
        seen.push(...(part?.holders ?? []));
        next = part?.next;
      } while (next !== undefined);
      expect(seen).toEqual(whole?.holders);
      expect(await page('nobody')).toMatchObject({ holders: [], total: 0, next: undefined });
      expect(await page('no-such-badge')).toBeUndefined();
    });

    it('counts what rules give and what was imported once, from the earlier time', async () => {
      const scored = new ScoredStore(store, TODAY);
      await writeTo(
        store,
        batchOf({
          badges: [badgeNamed('regular')],
          activities: [
            earned(ETH_A, 'a', 'regular', at(-20)),
            earned(ETH_B, 'b', 'regular', at(-2)),
            earned(SOL_B, 's', 'regular', at(-7)),
            earned(ALGO_A, 'c', 'regular', at(-9)),
          ],
        }),
      );
      const badge =
        '{id: regular, name: Regular, description: Once, tier: Epic, imageUrl: "https://example.org/r.png", soulbound: true, need: {type: event_attended, count: 1}}';
      await scored.add(
        eventOf(ETH_A, 'w1', { timestamp: at(-10) }),
        eventOf(ETH_B, 'w1', { timestamp: at(-10) }),
        eventOf(SOL_A, 'w1', { timestamp: at(-5) }),
        // At the exact time of the import.
        eventOf(ALGO_A, 'w1', { timestamp: at(-10) }),
      );
      const rule =
        '{id: workshop, on: {import: workshop_attended}, give: {type: event_attended, points: 25}}';
      await scored.apply(rulesText([rule], { more: `badges:\n  - ${badge}\n` }));
      await refreshed(store);
      const expected = [
        // Rules grant a badge at the end of the day.
        [SOL_A.address, formatTime(at(-4))],
        [SOL_B.address, formatTime(at(-7))],
        [ALGO_A.address, formatTime(at(-9))],
        [ETH_B.address, formatTime(at(-9))],
        [ETH_A.address, formatTime(at(-20))],
      ];
      const whole = await page('regular');
      expect(whole?.holders.map(({ address, earnedAt }) => [address, earnedAt])).toEqual(expected);
      expect(whole?.total).toBe(5);
      // The same with one row per page; some rows are the later of two.
      const seen: unknown[] = [];
      let next: HolderPlace | undefined;
      do {
        const part = await page('regular', 1, next);
        seen.push(...(part?.holders ?? []).map(({ address, earnedAt }) => [address, earnedAt]));
        next = part?.next;
      } while (next !== undefined);
      expect(seen).toEqual(expected);
    });

    it('counts users from a score on', async () => {
      await writeTo(
        store,
        batchOf({
          activities: [
            activityOf(ETH_A, 'a', { points: 700 }),
            activityOf(SOL_A, 'a', { points: 500 }),
            activityOf(ALGO_A, 'a', { points: -5 }),
          ],
        }),
      );
      await refreshed(store);
      expect(await source.reading().countFrom([0, 1, 500, 501, 701])).toEqual([3, 2, 2, 1, 0]);
    });
  });
}
