import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Store } from '#storage/store';
import { activityOf, batchOf, ETH_A, writeTo } from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';
import type { StoreUnderTest } from './contract.ts';

const DAY_MS = 86_400_000;

/** Whether dates tell what is newer. */
export function datesContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of dates`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await under.open();
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    it('none tells what is newer after the clock was set back, until it has caught up', async () => {
      vi.useFakeTimers({ toFake: ['Date'] });
      onTestFinished(() => void vi.useRealTimers());
      const write = (key: string) =>
        writeTo(store, batchOf({ activities: [activityOf(ETH_A, key)] }));
      const isUndated = async (opened: Store) => {
        const source = await opened.openSource();
        await refreshed(opened);
        const reading = source.reading();
        await reading.reputation(ETH_A);
        return reading.isUndated;
      };
      const isSoAgain = async (expected: boolean) => {
        if (under.again === undefined) return;
        const again = await under.again();
        expect(await isUndated(again)).toBe(expected);
        await again.close();
      };
      await write('before');
      expect(await isUndated(store)).toBe(false);
      vi.setSystemTime(Date.now() - DAY_MS);
      await write('set back');
      expect(await isUndated(store)).toBe(true);
      await isSoAgain(true);
      vi.setSystemTime(Date.now() + 2 * DAY_MS);
      await write('caught up');
      expect(await isUndated(store)).toBe(false);
      await isSoAgain(false);
    });
  });
}
