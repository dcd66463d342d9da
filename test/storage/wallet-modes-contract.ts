import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GateStore } from '#gating/store';
import type { Store } from '#storage/store';
import { ELSEWHERE, grantOf, HOME, NOW, ruleOf } from '../support/gate-records.ts';
import type { StoreUnderTest } from './contract.ts';

/** How every store keeps whether a community adds up its members' wallets. */
export function walletModesContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps how wallets count`, () => {
    let store: Store;
    let gating: GateStore;

    beforeEach(async () => {
      store = await under.open();
      gating = store.gating;
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    it('a switch of how wallets count comes with the rules, and starts readings over', async () => {
      await gating.putRule(ruleOf('aaaa'));
      await gating.putRule(ruleOf('bbbb', { grant: '501' }));
      await gating.putRule(ruleOf('cccc', { community: ELSEWHERE }));
      const read = {
        lacks: 2,
        firstLackAt: NOW,
        lastLackAt: NOW + 9,
        warnedAt: NOW,
        dueAt: NOW + 99,
      };
      const dropped = { lacks: 0, dueAt: NOW + 99 };
      const grants = [grantOf('aaaa', '1', read), grantOf('bbbb', '2', read)];
      await gating.putGrants(HOME, grants);
      // Nothing changes by what is so already.
      await gating.putSettings(HOME, { walletMode: 'best' });
      expect(await gating.grantsOf(HOME, ['1', '2'])).toEqual(grants);
      await gating.putSettings(HOME, { walletMode: 'sum' });
      expect((await gating.settingsOf(HOME)).walletMode).toBe('sum');
      expect((await gating.settingsOf(ELSEWHERE)).walletMode).toBeUndefined();
      expect(await gating.rulesOf(HOME)).toEqual([
        ruleOf('aaaa', { walletMode: 'sum' }),
        ruleOf('bbbb', { grant: '501', walletMode: 'sum' }),
      ]);
      expect(await gating.rulesOf(ELSEWHERE)).toEqual([ruleOf('cccc', { community: ELSEWHERE })]);
      const over = [grantOf('aaaa', '1', dropped), grantOf('bbbb', '2', dropped)];
      expect(await gating.grantsOf(HOME, ['1', '2'])).toEqual(over);
      const changed = await gating.changeRule(HOME, 'aaaa', (rule) => ({ ...rule, match: 'any' }));
      expect(changed).toEqual(ruleOf('aaaa', { walletMode: 'sum', match: 'any' }));
      await gating.putSettings(HOME, { logChannel: '7' });
      await gating.putSettings(HOME, { walletMode: undefined });
      expect(await gating.rulesOf(HOME)).toEqual([
        ruleOf('aaaa', { match: 'any' }),
        ruleOf('bbbb', { grant: '501' }),
      ]);
    });
  });
}
