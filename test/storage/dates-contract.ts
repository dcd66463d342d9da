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
      const startedAgain = async () => {
        const again = await under.again?.();
        const found = again && (await isUndated(again));
        await again?.close();
        return found;
      };
      await write('before');
      expect(await isUndated(store)).toBe(false);
      vi.setSystemTime(Date.now() - DAY_MS);
      await write('set back');
      expect(await isUndated(store)).toBe(true);
      expect(await startedAgain()).toBe(true);
      vi.setSystemTime(Date.now() + 2 * DAY_MS);
      await write('caught up');
      expect(await isUndated(store)).toBe(false);
      expect(await startedAgain()).toBe(false);
    });
  });
}
