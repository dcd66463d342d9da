import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '#base/errors';
import type { Store } from '#storage/store';
import { activityOf, batchOf, ETH_A, writeTo } from '../support/ledger.ts';
import { patienceMs } from '../support/patience.ts';
import { refreshed } from '../support/refreshed.ts';
import type { StoreUnderTest } from './contract.ts';

/** What every store does for its operator. */
export function operationsContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of stores for operators`, () => {
    let store: Store;

    beforeEach(async () => {
      store = await under.open();
      await store.openSource();
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    it("keys are found by their hash until they're revoked, and limited per owner", async () => {
      const { keys } = store;
      const hash = (n: number) => String(n).repeat(64).slice(0, 64);
      const key = await keys.add({ label: 'site', owner: 'discord:1', hash: hash(1) }, 2);
      expect(await keys.findByHash(hash(1))).toEqual(key);
      expect(await keys.findByHash(hash(2))).toBeUndefined();
      await keys.add({ label: 'second', owner: 'discord:1', hash: hash(2) }, 2);
      const third = { label: 'third', owner: 'discord:1', hash: hash(3) };
      await expect(async () => keys.add(third, 2)).rejects.toThrow(UserError);
      await keys.add({ ...third, owner: 'discord:2' }, 2);
      await expect(async () => keys.revoke(key.id, 'discord:2')).rejects.toThrow(UserError);
      await keys.revoke(key.id, 'discord:1');
      await keys.revoke(key.id);
      expect(await keys.findByHash(hash(1))).toBeUndefined();
      expect(
        (await keys.list('discord:1')).map((each) => [each.label, each.revokedAt === undefined]),
      ).toEqual([
        ['site', false],
        ['second', true],
      ]);
      expect(await keys.list()).toHaveLength(3);
      await keys.add({ label: 'fourth', owner: 'discord:1', hash: hash(4) }, 2);
    });

    it('statistics say how much there is and when it was added', async () => {
      expect(store.figures()).toMatchObject({ wallets: 0, activities: 0, lastImportAt: undefined });
      const activities = [activityOf(ETH_A, 'a1'), activityOf(ETH_A, 'a2')];
      await writeTo(store, batchOf({ activities }));
      await refreshed(store);
      const figures = store.figures();
      expect(figures).toMatchObject({ wallets: 1, activities: 2, lagSeconds: 0 });
      expect(Math.abs((figures.lastImportAt ?? 0) - Date.now() / 1000)).toBeLessThan(60);
      await vi.waitFor(() => store.check(), { timeout: patienceMs() });
    });
  });
}
