import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MemberBar } from '#gating/members/bars/member-bars';
import { ENTRY } from '#gating/rules/rule';
import type { GateStore } from '#gating/store';
import type { Store } from '#storage/store';
import {
  ALL,
  auditRow,
  ELSEWHERE,
  grantOf,
  HOME,
  NOW,
  OTHER,
  ruleOf,
} from '../support/gate-records.ts';
import type { StoreUnderTest } from './contract.ts';

/** How every store keeps whom moderators have barred, and what platforms refuse to single members. */
export function barsContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps bars`, () => {
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

    const barOf = (account: string, change: Partial<MemberBar> = {}): MemberBar => {
      return { account, grant: '500', at: NOW, by: 'discord:9', isGone: false, ...change };
    };
    const rowOf = ({ account, at, by }: MemberBar) => auditRow('barred', { account, at, by });
    const put = async (bars: readonly MemberBar[], community = HOME) =>
      await gating.putBars(
        community,
        bars.map((bar) => ({ bar, row: { ...rowOf(bar), community } })),
      );
    const logged = async (community = HOME) =>
      (await gating.auditOf(community, undefined, ALL, 0)).map(({ event, account }) => [
        event,
        account,
      ]);

    it('by account and community, newest first, with a row of the log for each', async () => {
      await put([barOf('1'), barOf('2', { at: NOW + 5 }), barOf('1', { grant: '*', at: NOW + 2 })]);
      await put([barOf('1')], ELSEWHERE);
      expect(await gating.barsOf(HOME, ['1', '3'])).toEqual([
        barOf('1', { grant: '*', at: NOW + 2 }),
        barOf('1'),
      ]);
      expect((await gating.barsIn(HOME, 2)).map(({ at }) => at)).toEqual([NOW + 5, NOW + 2]);
      expect(await gating.countBars(HOME)).toBe(3);
      expect(await gating.countBars(OTHER)).toBe(0);
      expect(await logged()).toHaveLength(3);
    });

    it('on what takes the place of something else in the rules as well', async () => {
      await put([barOf('1', { isGone: true }), barOf('2'), barOf('3', { grant: '*' })]);
      await put([barOf('2', { grant: '501', by: 'discord:8' })]);
      await put([barOf('1')], ELSEWHERE);
      await gating.copyBars(HOME, '500', { grant: '501', name: 'Whales' });
      await gating.copyBars(HOME, '500', { grant: '501', name: 'Whales' });
      expect(await gating.barsOf(HOME, ['1', '2', '3'])).toEqual([
        barOf('1', { isGone: true }),
        barOf('1', { grant: '501', name: 'Whales' }),
        barOf('2'),
        barOf('2', { grant: '501', by: 'discord:8' }),
        barOf('3', { grant: '*' }),
      ]);
      expect(await gating.countBars(ELSEWHERE)).toBe(1);
      const found = await gating.withBars();
      expect(found).toHaveLength(2);
      expect(found).toEqual(expect.arrayContaining([HOME, ELSEWHERE]));
    });

    it('on another role instead, unless they were lifted, each with a row of the log', async () => {
      await put([barOf('1', { isGone: true }), barOf('2'), barOf('3')]);
      await put([barOf('2', { grant: '501', by: 'discord:8', at: NOW + 1 })]);
      await put([barOf('1')], ELSEWHERE);
      const found = await gating.barsOn(HOME, ['500']);
      expect(found.map(({ account }) => account)).toEqual(['1', '2', '3']);
      await gating.liftBar(HOME, '3', '500', auditRow('unbarred', { account: '3' }));
      const moved = found.map((bar) => {
        return { bar, row: auditRow('bar-moved', { account: bar.account }) };
      });
      await gating.moveBars(HOME, moved, { grant: '501', name: 'Whales' });
      await gating.moveBars(HOME, moved, { grant: '501', name: 'Whales' });
      expect(await gating.barsIn(HOME, ALL)).toEqual([
        barOf('2', { grant: '501', by: 'discord:8', at: NOW + 1, origin: '500' }),
        barOf('1', { grant: '501', name: 'Whales', origin: '500' }),
      ]);
      const rows = (await logged()).filter(([event]) => event === 'bar-moved');
      expect(rows).toEqual([
        ['bar-moved', '2'],
        ['bar-moved', '1'],
      ]);
      expect(await gating.barsOf(ELSEWHERE, ['1'])).toEqual([barOf('1')]);
      const again = (await gating.barsOn(HOME, ['501'])).map((bar) => ({ bar, row: rowOf(bar) }));
      await gating.moveBars(HOME, again, { grant: '502', name: 'Whales' });
      const origins = (await gating.barsOn(HOME, ['502'])).map(({ origin }) => origin);
      expect(origins).toEqual(['500', '500']);
    });

    it('with the last name of what they are on', async () => {
      await put([barOf('1', { name: 'Whales' }), barOf('2', { grant: '501' })]);
      await put([barOf('1', { name: 'Whales' })], ELSEWHERE);
      await gating.renameGrant(HOME, '500', 'Big whales');
      expect(await gating.barredGrants(HOME)).toEqual([
        { grant: '500', name: 'Big whales', formerNames: ['Whales'] },
        { grant: '501', name: undefined },
      ]);
      expect(await gating.barredGrants(ELSEWHERE)).toEqual([{ grant: '500', name: 'Whales' }]);
    });

    it('with what it was called before, each once, also where they move and for bars that follow', async () => {
      await put([barOf('1', { name: 'Whales' })]);
      for (const name of ['Orcas', 'Whales', 'Big whales']) {
        await gating.renameGrant(HOME, '500', name);
      }
      await put([barOf('2', { name: 'Big whales' })]);
      const formerNames = ['Orcas', 'Whales'];
      const found = await gating.barsOn(HOME, ['500']);
      expect(found.map((bar) => bar.formerNames)).toEqual([formerNames, formerNames]);
      const moved = found.map((bar) => ({ bar, row: rowOf(bar) }));
      await gating.moveBars(HOME, moved, { grant: '501', name: 'Whales' });
      expect(await gating.barredGrants(HOME)).toEqual([
        { grant: '501', name: 'Whales', formerNames: ['Orcas', 'Big whales'] },
      ]);
    });

    it('without the former titles of a group, which stand for nothing', async () => {
      await put([barOf('1', { grant: ENTRY, name: 'Whales' })]);
      await gating.renameGrant(HOME, ENTRY, 'Orcas');
      expect(await gating.barredGrants(HOME)).toEqual([{ grant: ENTRY, name: 'Orcas' }]);
    });

    it('that exist with the date of who barred them, no second row, and what is learnt of them since', async () => {
      await put([barOf('1', { by: undefined })]);
      await put([barOf('1', { at: NOW + 9, by: undefined, isGone: true })]);
      expect(await gating.barsOf(HOME, ['1'])).toEqual([
        barOf('1', { by: undefined, isGone: true }),
      ]);
      await put([barOf('1', { at: NOW + 20, by: 'discord:7' })]);
      await put([barOf('1', { at: NOW + 30, by: 'discord:8' })]);
      expect(await gating.barsOf(HOME, ['1'])).toEqual([
        barOf('1', { at: NOW + 20, by: 'discord:7', renewedAt: NOW + 30 }),
      ]);
      await put([barOf('1', { at: NOW + 25, by: 'discord:9' })]);
      expect((await gating.barsOf(HOME, ['1']))[0]?.renewedAt).toBe(NOW + 30);
      expect(await logged()).toEqual([
        ['barred', '1'],
        ['barred', '1'],
      ]);
    });

    it('until they are lifted, which is in the log once', async () => {
      await put([barOf('1'), barOf('1', { grant: '501' })]);
      const row = auditRow('unbarred', { account: '1', by: 'discord:9' });
      expect(await gating.liftBar(HOME, '1', '500', row)).toBe(true);
      expect(await gating.liftBar(HOME, '1', '500', row)).toBe(false);
      expect(await gating.barsOf(HOME, ['1'])).toEqual([barOf('1', { grant: '501' })]);
      expect((await logged()).filter(([event]) => event === 'unbarred')).toHaveLength(1);
    });

    it('that stand although the member has it again, which is in the log once', async () => {
      await put([barOf('1', { isGone: true }), barOf('1', { grant: '501', isGone: true })]);
      const row = auditRow('bar-kept', { account: '1', by: 'discord:7' });
      for (let i = 0; i < 2; i++) await gating.keepBar(HOME, '1', '500', row);
      await gating.keepBar(HOME, '2', '500', row);
      expect(await gating.barsOf(HOME, ['1'])).toEqual([
        barOf('1'),
        barOf('1', { grant: '501', isGone: true }),
      ]);
      expect((await logged()).filter(([event]) => event === 'bar-kept')).toHaveLength(1);
    });

    it('although the member leaves, the rule goes, and the account erases its data', async () => {
      await gating.putRule(ruleOf('aaaa'));
      await gating.noteMembers(HOME, ['1']);
      await gating.putGrants(HOME, [grantOf('aaaa', '1', { ownership: 'none' })]);
      await put([barOf('1')]);
      await gating.forgetMember(HOME, '1');
      await gating.removeRule(HOME, 'aaaa');
      const account = { platform: 'discord', id: '1' } as const;
      await store.links.erase(account, NOW + 50);
      expect(await gating.barsOf(HOME, ['1'])).toEqual([barOf('1')]);
      expect((await store.links.recordOf(account)).communities).toEqual([
        { community: HOME, isProtected: false, grants: [], bars: [barOf('1')] },
      ]);
    });

    it('for a community that got another id', async () => {
      const moved = { platform: 'discord', id: '12' } as const;
      await put([barOf('1')]);
      await gating.putRefusal(HOME, { account: '2', grant: '500', code: 'refused 7', at: NOW });
      await gating.putSettings(HOME, { invite: 'https://t.me/+a' });
      await gating.moveCommunity(HOME, moved);
      expect(await gating.barsOf(moved, ['1'])).toEqual([barOf('1')]);
      expect(await gating.refusalsOf(moved, ['2'])).toHaveLength(1);
      expect((await gating.settingsOf(moved)).invite).toBe('https://t.me/+a');
      expect(await gating.countBars(HOME)).toBe(0);
    });

    it('and refusals of single members, until they end', async () => {
      const refusal = { account: '1', grant: '500', code: 'refused 50035', at: NOW };
      await gating.putRefusal(HOME, refusal);
      await gating.putRefusal(HOME, { ...refusal, grant: '501' });
      await gating.putRefusal(HOME, { ...refusal, code: 'too-many-communities', at: NOW + 1 });
      expect(await gating.refusalsOf(HOME, ['1', '2'])).toEqual([
        { ...refusal, code: 'too-many-communities', at: NOW + 1 },
        { ...refusal, grant: '501' },
      ]);
      expect(await gating.endRefusals(HOME, '1')).toBe(true);
      expect(await gating.endRefusals(HOME, '1')).toBe(false);
      expect(await gating.refusalsOf(HOME, ['1'])).toEqual([]);
    });
  });
}
