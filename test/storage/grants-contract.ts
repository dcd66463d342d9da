import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Grant } from '#gating/decide/grant';
import type { GateStore } from '#gating/store';
import type { Store } from '#storage/store';
import { ELSEWHERE, grantOf, HOME, NOW, ruleOf } from '../support/gate-records.ts';
import type { StoreUnderTest } from './contract.ts';

/** How every store keeps grants. */
export function grantsContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of grants, which`, () => {
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

    it('are returned for the requested accounts, under all rules, and replaced', async () => {
      for (const id of ['aaaa', 'bbbb']) await gating.putRule(ruleOf(id));
      const counting = grantOf('bbbb', '1', {
        ownership: 'theirs',
        lacks: 3,
        firstLackAt: NOW,
        lastLackAt: NOW + 1,
        warnedAt: NOW + 2,
        dueAt: NOW + 3,
      });
      const theirs = grantOf('aaaa', '2', { ownership: 'theirs', joinedAt: 7 });
      await gating.putGrants(HOME, [grantOf('aaaa', '1'), counting, theirs]);
      expect(await gating.grantsOf(HOME, ['1'])).toEqual([grantOf('aaaa', '1'), counting]);
      expect(await gating.grantsOf(HOME, ['3', '2'])).toEqual([theirs]);
      expect(await gating.grantsOf(HOME, [])).toEqual([]);
      expect(await gating.grantsOf(ELSEWHERE, ['1', '2'])).toEqual([]);
      await gating.putGrants(HOME, [grantOf('bbbb', '1')]);
      expect(await gating.grantsOf(HOME, ['1'])).toEqual([
        grantOf('aaaa', '1'),
        grantOf('bbbb', '1'),
      ]);
    });

    it('count as held by anyone who has what the rule grants', async () => {
      for (const id of ['aaaa', 'bbbb']) await gating.putRule(ruleOf(id));
      await gating.putRule(ruleOf('aaaa', { community: ELSEWHERE }));
      await gating.putGrants(ELSEWHERE, [grantOf('aaaa', '1')]);
      await gating.putGrants(HOME, [
        grantOf('aaaa', '1'),
        grantOf('aaaa', '2', { ownership: 'theirs' }),
        grantOf('aaaa', '3', { ownership: 'none' }),
        grantOf('bbbb', '5'),
      ]);
      expect(await gating.holdersAfter(HOME, ['aaaa'], '', 9)).toEqual(['1', '2']);
      expect(await gating.holdersAfter(HOME, ['aaaa', 'bbbb'], '1', 1)).toEqual(['2']);
      expect(await gating.holdersAfter(HOME, ['aaaa', 'bbbb'], '2', 9)).toEqual(['5']);
      await gating.putGrants(HOME, [grantOf('aaaa', '2', { ownership: 'none' })]);
      expect(await gating.holdersAfter(HOME, ['aaaa'], '', 9)).toEqual(['1']);
    });

    it('are written and read whole, of a thousand accounts under 25 rules', async () => {
      const rules = Array.from({ length: 25 }, (_, i) => `r${i}`);
      for (const id of rules) await gating.putRule(ruleOf(id));
      const accounts = Array.from({ length: 1_000 }, (_, i) => String(i));
      const grants = accounts.flatMap((account) => rules.map((rule) => grantOf(rule, account)));
      await gating.putGrants(HOME, grants);
      const kept = await gating.grantsOf(HOME, accounts);
      const key = ({ rule, account }: Grant) => `${rule} ${account}`;
      expect(kept).toHaveLength(25_000);
      expect(new Set(kept.map(key))).toEqual(new Set(grants.map(key)));
    });
  });
}
