import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '#command/account';
import type { AuditRow } from '#gating/reports/audit';
import type { GateStore } from '#gating/store';
import type { Store } from '#storage/store';
import {
  ALL,
  auditRow,
  changeOf,
  ELSEWHERE,
  grantOf,
  HOME,
  NOW,
  OTHER,
  ruleOf,
  runOf,
} from '../support/gate-records.ts';
import type { StoreUnderTest } from './contract.ts';

/** What every store keeps about an account in gated communities, and deletes when the account is erased. */
export function gatingAccountsContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of accounts in gated communities: one`, () => {
    let store: Store;
    let gating: GateStore;

    beforeEach(async () => {
      store = await under.open();
      gating = store.gating;
      // Two members of three communities, each with one rule, in the middle of a run.
      for (const [i, community] of [HOME, OTHER, ELSEWHERE].entries()) {
        await gating.putRule(ruleOf('aaaa', { community, createdBy: 'discord:1' }));
        await gating.noteMembers(community, ['1', '2']);
        await gating.putGrants(community, [grantOf('aaaa', '1'), grantOf('aaaa', '2')]);
        const run = `run0000${i + 1}`;
        await gating.beginRun(runOf(run, { community, by: 'discord:1' }));
        await gating.planChanges([
          changeOf(0, { run, status: 'done' }),
          changeOf(1, { run }),
          changeOf(2, { run, account: '2' }),
        ]);
        await gating.audit([about('1', { community }), about('2', { community, by: 'discord:1' })]);
      }
      await gating.protect(OTHER, '1', true);
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    const auditOf = async (account?: string) => await gating.auditOf(HOME, account, ALL, 0);
    const changesOf = async (run = 'run00001') => await gating.changesOf(run, undefined, -1, ALL);

    const alice: Account = { platform: 'discord', id: '1' };
    const about = (account: string, change: Partial<AuditRow> = {}) =>
      auditRow('given', { run: 'run00001', rule: 'aaaa', account, detail: 'Whale', ...change });

    it('exports what is stored about it, on its platform only', async () => {
      // Gone from the rest, except for what a run has recorded since.
      await gating.forgetMember(OTHER, '2');
      await gating.putGrants(OTHER, [grantOf('aaaa', '2')]);
      const grants = [grantOf('aaaa', '1')];
      expect(await store.links.recordOf(alice)).toMatchObject({
        communities: [
          { community: HOME, isProtected: false, grants },
          { community: OTHER, isProtected: true, grants },
        ],
        audit: [about('1'), about('1', { community: OTHER })],
      });
      const bob = await store.links.recordOf({ platform: 'discord', id: '2' });
      expect(bob.communities).toMatchObject([{ community: HOME }, { community: OTHER }]);
      expect(bob.audit).toHaveLength(2);
    });

    it('has the language that it told in each community, until it leaves', async () => {
      await gating.noteLocale(OTHER, '1', 'en');
      await gating.noteLocale(OTHER, '1', 'es-AR');
      await gating.noteLocale(HOME, '3', 'es');
      const all = async (account: string) => [
        await gating.localeOf(HOME, account),
        await gating.localeOf(OTHER, account),
      ];
      expect(await all('1')).toEqual([undefined, 'es-AR']);
      expect(await all('3')).toEqual([undefined, undefined]);
      const { communities } = await store.links.recordOf(alice);
      expect(communities).toMatchObject([{ community: HOME }, { locale: 'es-AR' }]);
      expect(communities[0]).not.toHaveProperty('locale');
      await gating.noteMembers(OTHER, ['1']);
      expect(await gating.localeOf(OTHER, '1')).toBe('es-AR');
      // As a protected member, it's still known.
      await gating.forgetMember(OTHER, '1');
      await gating.noteMembers(OTHER, ['1']);
      expect(await gating.localeOf(OTHER, '1')).toBeUndefined();
    });

    it('is told apart from others as protected, in each community, gone or not', async () => {
      expect(await gating.protectedAmong(HOME, ['1', '2'])).toEqual(new Set());
      expect(await gating.protectedAmong(OTHER, ['2', '1', '3'])).toEqual(new Set(['1']));
      await gating.protect(OTHER, '2', true);
      expect(await gating.protectedAmong(OTHER, ['1'])).toEqual(new Set(['1']));
      expect(await gating.protectedAmong(OTHER, [])).toEqual(new Set());
      await gating.forgetMember(OTHER, '1');
      expect(await gating.protectedAmong(OTHER, ['1', '2'])).toEqual(new Set(['1', '2']));
      await gating.protect(OTHER, '1', false);
      expect(await gating.protectedAmong(OTHER, ['1', '2'])).toEqual(new Set(['2']));
    });

    it('once erased only remains in what it did for others', async () => {
      await store.links.erase(alice, NOW + 50);
      const record = await store.links.recordOf(alice);
      expect([record.communities, record.audit]).toEqual([[], []]);
      for (const [i, community] of [HOME, OTHER].entries()) {
        expect(await gating.member(community, '1')).toBeUndefined();
        expect(await gating.grantsOf(community, ['1', '2'])).toEqual([grantOf('aaaa', '2')]);
        const run = `run0000${i + 1}`;
        expect(await changesOf(run)).toEqual([changeOf(2, { run, account: '2' })]);
        expect(await gating.auditOf(community, '1', ALL, 0)).toEqual([]);
        expect(await gating.auditOf(community, undefined, ALL, 0)).toEqual([
          about('2', { community, by: 'discord:1' }),
          { ...about('1', { community, detail: '' }), account: undefined },
        ]);
        expect((await gating.rulesOf(community))[0]?.createdBy).toBe('discord:1');
        expect((await gating.runsOf(community, 1))[0]?.by).toBe('discord:1');
      }
    });

    it('of another platform with the same id loses nothing by that', async () => {
      const same: Account = { platform: 'telegram', id: '1' };
      const before = await store.links.recordOf(same);
      expect(before.audit).toHaveLength(1);
      await store.links.erase(alice, NOW + 50);
      expect(await store.links.recordOf(same)).toEqual(before);
      expect(await changesOf('run00003')).toHaveLength(3);
    });

    it('once erased gets nothing from a resumed run', async () => {
      await store.links.erase(alice, NOW + 50);
      const begun = changeOf(1, { status: 'begun' });
      expect(await gating.markChange(begun, about('1'), HOME, [])).toBe(false);
      expect(await gating.auditOf(HOME, '1', ALL, 0)).toEqual([]);
    });

    it('erased while the platform granted it something has that recorded', async () => {
      const begun = changeOf(1, { status: 'begun' });
      await gating.markChange(begun, about('1'), HOME, []);
      await store.links.erase(alice, NOW + 50);
      const done = changeOf(1, { status: 'done' });
      const given = about('1', { detail: 'given after all' });
      expect(await gating.markChange(done, given, HOME, [grantOf('aaaa', '1')])).toBe(true);
      expect(await gating.auditOf(HOME, '1', ALL, 0)).toEqual([given]);
      expect(await gating.grantsOf(HOME, ['1'])).toEqual([grantOf('aaaa', '1')]);
    });

    it('can be recorded and erased again', async () => {
      await store.links.erase(alice, NOW + 50);
      await gating.audit([about('1', { detail: 'again' })]);
      await store.links.erase(alice, NOW + 90);
      expect(await gating.auditOf(HOME, '1', ALL, 0)).toEqual([]);
      expect(await auditOf()).toHaveLength(3);
    });
  });
}
