import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dayOf } from '#base/time/time';
import type { GrowthDay } from '#reputation/api-records';
import type { ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import {
  ALGO_A,
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

/** What every store of its own tells about when wallets were first active. */
export function growthContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of growth`, () => {
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

    /** Days relative to TODAY, with how many joined on each chain. */
    async function growth(of: ReputationSource = source): Promise<unknown[]> {
      await refreshed(store);
      const { days } = await vi.waitFor(
        async () => {
          const found = await of.reading().growth();
          if (found === undefined || found.isBehind) throw new Error('still counting');
          return found;
        },
        { timeout: patienceMs() },
      );
      const { totalUsers } = await of.reading().stats();
      const all = days.flatMap(({ joined }) => Object.values(joined));
      expect(all.reduce((sum, count) => sum + count, 0)).toBe(totalUsers);
      return days.map(({ day, joined }: GrowthDay) => [
        day - TODAY,
        ...[joined.ethereum, joined.solana, joined.algorand],
      ]);
    }

    const write = (...activities: ReturnType<typeof activityOf>[]) =>
      writeTo(store, batchOf({ activities }));

    it('counts each wallet on the day of its first activity', async () => {
      expect(await growth()).toEqual([]);
      await write(
        activityOf(ETH_A, 'a', { timestamp: at(-3, 86_399) }),
        activityOf(ETH_A, 'b', { timestamp: at(-9) }),
        activityOf(SOL_A, 'a', { timestamp: at(-3) }),
      );
      expect(await growth()).toEqual([
        [-9, 1, 0, 0],
        [-3, 0, 1, 0],
      ]);
    });

    it('takes in what is added later, also at an earlier day', async () => {
      await write(activityOf(ETH_A, 'a', { timestamp: at(-3) }));
      expect(await growth()).toEqual([[-3, 1, 0, 0]]);
      await write(
        activityOf(ETH_A, 'b', { timestamp: at(-1) }),
        activityOf(ETH_B, 'a', { timestamp: at(-5) }),
      );
      expect(await growth()).toEqual([
        [-5, 1, 0, 0],
        [-3, 1, 0, 0],
      ]);
      await write(activityOf(ETH_A, 'c', { timestamp: at(-5) }));
      expect(await growth()).toEqual([[-5, 2, 0, 0]]);
      const writer = store.openWriter();
      await writer.stageCorrections([
        correctionOf('fix', 'a', { wallet: ETH_B, timestamp: at(-7) }),
      ]);
      await writer.commit();
      await writer.finish();
      // The correction is an activity of its own, listed with its time.
      expect(await growth()).toEqual([
        [-7, 1, 0, 0],
        [-5, 1, 0, 0],
      ]);
    });

    it('reads a ledger of several steps', async () => {
      const many = Array.from({ length: 25_000 }, (_, i) =>
        activityOf(i % 2 === 0 ? ETH_A : SOL_A, `m${i}`, { timestamp: at(-1, i) }),
      );
      await write(...many, activityOf(SOL_A, 'first', { timestamp: at(-30) }));
      expect(await growth()).toEqual([
        [-30, 0, 1, 0],
        [-1, 1, 0, 0],
      ]);
    });

    it('counts what rules give beside imports, from the earlier day', async () => {
      const scored = new ScoredStore(store, TODAY);
      await write(
        activityOf(ETH_A, 'a', { timestamp: at(-9) }),
        activityOf(ETH_B, 'a', { timestamp: at(-9) }),
      );
      expect(await growth()).toEqual([[-9, 2, 0, 0]]);
      await scored.add(
        eventOf(ETH_A, 'w1', { timestamp: at(-10) }),
        eventOf(ETH_B, 'w1', { timestamp: at(-2) }),
        eventOf(SOL_A, 'w1', { timestamp: at(-5) }),
      );
      await scored.apply(rulesText([workshop]));
      expect(await growth()).toEqual([
        [-10, 1, 0, 0],
        [-9, 1, 0, 0],
        [-5, 0, 1, 0],
      ]);
      // A late import moves the first day of who is known, and adds others.
      await scored.add(
        eventOf(SOL_A, 'w0', { timestamp: at(-20) }),
        eventOf(ALGO_A, 'w1', { timestamp: at(-5) }),
      );
      await scored.follow();
      const expected = [
        [-20, 0, 1, 0],
        [-10, 1, 0, 0],
        [-9, 1, 0, 0],
        [-5, 0, 0, 1],
      ];
      expect(await growth()).toEqual(expected);
      // The same for who begins to count now.
      const again = await under.again?.();
      if (again !== undefined) {
        expect(await growth(await again.openSource())).toEqual(expected);
        await again.close();
      }
      // Other rules, which give the wallets of these events nothing.
      const other =
        '{id: other, on: {import: talk_given}, give: {type: event_attended, points: 25}}';
      await scored.apply(rulesText([other], { version: 2 }));
      expect(await growth()).toEqual([[-9, 2, 0, 0]]);
    });
  });
}
