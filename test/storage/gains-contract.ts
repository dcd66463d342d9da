import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dayOf } from '#base/time/time';
import type { GainersQuery, Reading, ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import type { Chain } from '#wallet/wallet';
import {
  activityOf,
  batchOf,
  correctionOf,
  ETH_A,
  ETH_B,
  eventOf,
  SOL_A,
  writeTo,
} from '../support/ledger.ts';
import { patienceMs } from '../support/patience.ts';
import { refreshed } from '../support/refreshed.ts';
import { rulesText, ScoredStore, workshop } from '../support/scoring.ts';
import type { StoreUnderTest } from './contract.ts';

const TODAY = dayOf(1_700_000_000) + 30;
const at = (day: number, second = 0) => (TODAY + day) * 86_400 + second;

/** What every store of its own tells about who gained most in the last days. */
export function gainsContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of gains`, () => {
    let store: Store;
    let source: ReputationSource;
    let now: number;
    let elapsed: number;

    beforeEach(async () => {
      now = at(0, 43_200);
      elapsed = 0;
      store = await under.open();
      source = await store.openSource(undefined, { now: () => now, monotonic: () => elapsed });
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    /** Waits until everything is counted, a minute later. */
    async function counted(query: GainersQuery): Promise<Reading> {
      await refreshed(store);
      elapsed += 60_000;
      return await vi.waitFor(
        async () => {
          const reading = source.reading();
          const page = await reading.gainers?.(query);
          if (page === undefined || page.isBehind) throw new Error('still counting');
          return reading;
        },
        { timeout: patienceMs() },
      );
    }

    /** Wallets by their first letters, with their rank and what they gained. */
    async function gained(days: 7 | 30 | 90, chain: Chain | 'all' = 'all'): Promise<unknown[]> {
      const query = { days, chain, limit: 50, offset: 0 };
      const reading = await counted(query);
      const page = await reading.gainers?.(query);
      const gainers = page?.gainers ?? [];
      expect(page?.total).toBe(gainers.length);
      const wallets = [ETH_A, ETH_B, SOL_A];
      const gains = await reading.gains?.(wallets, days);
      for (const { address, gained } of gainers) {
        expect(gains?.[wallets.findIndex((each) => each.address === address)]).toBe(gained);
      }
      const known = new Map(
        Object.entries({ ETH_A, ETH_B, SOL_A }).map(([k, v]) => [v.address, k]),
      );
      return gainers.map((each) => [known.get(each.address), each.rank, each.gained]);
    }

    const write = (...activities: ReturnType<typeof activityOf>[]) =>
      writeTo(store, batchOf({ activities }));

    it('sums up the days of a period, today included and no earlier one', async () => {
      expect(await gained(7)).toEqual([]);
      await write(
        activityOf(ETH_A, 'a', { points: 10, timestamp: at(0, 1) }),
        activityOf(ETH_A, 'b', { points: 20, timestamp: at(-6) }),
        activityOf(ETH_A, 'c', { points: 400, timestamp: at(-7, 86_399) }),
        activityOf(ETH_B, 'a', { points: 50, timestamp: at(-29) }),
        activityOf(SOL_A, 'a', { points: 30, timestamp: at(-6) }),
        activityOf(SOL_A, 'b', { points: 900, timestamp: at(-90, 86_399) }),
      );
      expect(await gained(7)).toEqual([
        ['ETH_A', 1, 30],
        ['SOL_A', 1, 30],
      ]);
      expect(await gained(30)).toEqual([
        ['ETH_A', 1, 430],
        ['ETH_B', 2, 50],
        ['SOL_A', 3, 30],
      ]);
      expect(await gained(90, 'solana')).toEqual([['SOL_A', 1, 30]]);
    });

    it('moves on with the day', async () => {
      await write(
        activityOf(ETH_A, 'a', { points: 10, timestamp: at(-6) }),
        activityOf(ETH_B, 'a', { points: 5, timestamp: at(0) }),
      );
      expect(await gained(7)).toEqual([
        ['ETH_A', 1, 10],
        ['ETH_B', 2, 5],
      ]);
      now = at(1);
      expect(await gained(7)).toEqual([['ETH_B', 1, 5]]);
      now = at(-1);
      expect(await gained(7)).toEqual([['ETH_A', 1, 10]]);
    });

    it('counts at most once a minute, and says when it is behind', async () => {
      await write(activityOf(ETH_A, 'a', { points: 10, timestamp: at(0) }));
      expect(await gained(7)).toEqual([['ETH_A', 1, 10]]);
      const query = { days: 7, chain: 'all', limit: 50, offset: 0 } as const;
      const before = source.reading();
      await before.gainers?.(query);
      const { revision } = before;
      await write(activityOf(ETH_A, 'b', { points: 5, timestamp: at(0) }));
      await refreshed(store);
      elapsed += 59_999;
      const reading = source.reading();
      const page = await reading.gainers?.(query);
      expect(page).toMatchObject({ isBehind: true, gainers: [{ gained: 10, score: 15 }] });
      expect(reading.revision).not.toBe(revision);
      const behind = reading.revision;
      expect(await gained(7)).toEqual([['ETH_A', 1, 15]]);
      const latest = source.reading();
      await latest.gainers?.(query);
      expect(latest.revision).not.toBe(behind);
    });

    it('counts a period where somebody asks for it, one after another', async () => {
      await write(activityOf(ETH_A, 'a', { points: 10, timestamp: at(0) }));
      expect(await gained(7)).toEqual([['ETH_A', 1, 10]]);
      await write(activityOf(ETH_A, 'b', { points: 5, timestamp: at(0) }));
      await refreshed(store);
      elapsed += 59_999;
      const page = async (days: 7 | 30 | 90) =>
        await source.reading().gainers?.({ days, chain: 'all', limit: 50, offset: 0 });
      await vi.waitFor(
        async () => {
          expect(await Promise.all(([7, 30, 90] as const).map(page))).toMatchObject([
            { isBehind: true, gainers: [{ gained: 10 }] },
            { isBehind: false, gainers: [{ gained: 15 }] },
            { isBehind: false, gainers: [{ gained: 15 }] },
          ]);
        },
        { timeout: patienceMs() },
      );
    });

    it('counts losses, and nobody gains more than their score', async () => {
      await write(
        activityOf(ETH_A, 'a', { points: -100, timestamp: at(-50) }),
        activityOf(ETH_A, 'b', { points: 120, timestamp: at(-1) }),
        activityOf(ETH_B, 'a', { points: 80, timestamp: at(-1) }),
        activityOf(ETH_B, 'b', { points: -80, timestamp: at(0) }),
        activityOf(SOL_A, 'a', { points: -5, timestamp: at(0) }),
      );
      expect(await gained(7)).toEqual([['ETH_A', 1, 20]]);
    });

    it('adds a correction on the day of what it corrects', async () => {
      await write(
        activityOf(ETH_A, 'a', { points: 10, timestamp: at(-40) }),
        activityOf(ETH_B, 'a', { points: 10, timestamp: at(-1) }),
      );
      const writer = store.openWriter();
      await writer.stageCorrections([
        correctionOf('fix1', 'a', { wallet: ETH_A, points: 500, timestamp: at(-40) }),
        correctionOf('fix2', 'a', { wallet: ETH_B, points: 25, timestamp: at(-1) }),
      ]);
      await writer.commit();
      await writer.finish();
      expect(await gained(30)).toEqual([['ETH_B', 1, 25]]);
    });

    it('gives nobody a gain when other rules go live', async () => {
      const scored = new ScoredStore(store, TODAY);
      await scored.add(
        eventOf(ETH_A, 'w1', { timestamp: at(-100) }),
        eventOf(ETH_A, 'w2', { timestamp: at(-1) }),
        eventOf(ETH_B, 'w1', { timestamp: at(-100) }),
      );
      await scored.apply(rulesText([workshop]));
      const [first] = (await gained(30)) as [[string, number, number]];
      expect(first.slice(0, 2)).toEqual(['ETH_A', 1]);
      await scored.apply(
        rulesText([workshop.replace('points: 25', 'points: 250')], { version: 2 }),
      );
      // Ten times the points for both days; but the old day is none of the period.
      expect(await gained(30)).toEqual([['ETH_A', 1, first[2] * 10]]);
      // What arrives later counts on its own day, and what was given before isn't counted twice.
      await scored.add(
        eventOf(ETH_B, 'w0', { timestamp: at(-2) }),
        eventOf(SOL_A, 'w0', { timestamp: at(-95) }),
      );
      await scored.follow();
      expect(await gained(30)).toEqual([
        ['ETH_A', 1, first[2] * 10],
        ['ETH_B', 1, first[2] * 10],
      ]);
    });

    it('reads a ledger of several steps, and ranks many wallets', async () => {
      const many = Array.from({ length: 12_000 }, (_, i) =>
        activityOf(i % 2 === 0 ? ETH_A : SOL_A, `m${i}x`, { points: 1, timestamp: at(-1, i) }),
      );
      await write(...many, activityOf(ETH_B, 'old', { points: 7, timestamp: at(-200) }));
      expect(await gained(7)).toEqual([
        ['ETH_A', 1, 6_000],
        ['SOL_A', 1, 6_000],
      ]);
    });
  });
}
