import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_COUNTS } from '#gating/reports/audit';
import type { Rule } from '#gating/rules/rule';
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
  ruleOf,
  runOf,
} from '../support/gate-records.ts';
import type { StoreUnderTest } from './contract.ts';

/** What runs are stopped, settled and undone by, in every store. */
export function gatingControlContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of the control of runs`, () => {
    let store: Store;
    let gating: GateStore;

    beforeEach(async () => {
      store = await under.open();
      gating = store.gating;
      await gating.putRule(ruleOf('aaaa'));
      await gating.beginRun(runOf('run00001'));
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    const mark = async (number: number, change: Parameters<typeof changeOf>[1], at = NOW) => {
      const marked = changeOf(number, change);
      await gating.markChange(marked, auditRow('taken', { at, account: '1' }), HOME, []);
      return marked;
    };

    it("a run is asked to stop once, while it's active", async () => {
      expect(await gating.stopRun('run00001', 'discord:9')).toBe(true);
      expect(await gating.stopRun('run00001', 'discord:8')).toBe(true);
      expect((await gating.run('run00001'))?.stoppedBy).toBe('discord:9');
      await gating.endRun('run00001', 'stopped', NO_COUNTS, NOW + 1);
      expect(await gating.run('run00001')).toMatchObject({
        status: 'stopped',
        finishedAt: NOW + 1,
      });
      expect(await gating.stopRun('run00001', 'discord:8')).toBe(false);
      expect(await gating.run('nonsense')).toBeUndefined();
    });

    it('a run keeps what it undoes, and who confirmed it', async () => {
      await gating.endRun('run00001', 'held', NO_COUNTS, NOW);
      expect(await gating.confirmRun('run00001', 'discord:9')).toBe(true);
      expect((await gating.run('run00001'))?.confirmedBy).toBe('discord:9');
      await gating.endRun('run00001', 'finished', NO_COUNTS, NOW);
      await gating.beginRun(runOf('run00002', { cause: 'undo', undoes: 'run00001' }));
      expect((await gating.run('run00002'))?.undoes).toBe('run00001');
    });

    it('a change that was made ends what the platform refused for the member', async () => {
      const refusal = { grant: '500', code: 'refused 7', at: NOW } as const;
      await gating.putRefusal(HOME, { ...refusal, account: '1' });
      await gating.putRefusal(HOME, { ...refusal, account: '2' });
      await gating.planChanges([changeOf(0)]);
      await mark(0, { status: 'begun' });
      expect(await gating.refusalsOf(HOME, ['1', '2'])).toHaveLength(2);
      await mark(0, { status: 'done' });
      expect(await gating.refusalsOf(HOME, ['1', '2'])).toMatchObject([{ account: '2' }]);
    });

    it('changes keep their previous state and what they restore, and are counted', async () => {
      await gating.planChanges([
        changeOf(0, { restores: 'theirs' }),
        changeOf(1, { step: 'take' }),
        changeOf(2),
        changeOf(3, { rule: 'bbbb' }),
      ]);
      const done = await mark(0, { status: 'done', ownershipBefore: 'none', restores: 'theirs' });
      const unknown = await mark(1, { step: 'take', status: 'unknown' });
      expect(await gating.changesOf('run00001', 'done', -1, ALL)).toEqual([done]);
      expect(await gating.unsettledOf(HOME, undefined)).toEqual([unknown]);
      expect(await gating.unsettledOf(HOME, '1')).toEqual([unknown]);
      expect(await gating.unsettledOf(HOME, '2')).toEqual([]);
      expect(await gating.unsettledOf(ELSEWHERE, undefined)).toEqual([]);
      await gating.skipPlanned('run00001', 'bbbb', 'rule-paused');
      const planned = await gating.changesOf('run00001', 'planned', -1, ALL);
      expect(planned.map(({ number }) => number)).toEqual([2]);
      await gating.skipPlanned('run00001', undefined, 'stopped');
      const tally = await gating.tallyOf('run00001');
      expect(new Set(tally)).toEqual(
        new Set([
          { step: 'give', status: 'done', count: 1 },
          { step: 'take', status: 'unknown', count: 1 },
          { step: 'give', status: 'skipped', count: 2 },
        ]),
      );
    });

    it('checks of single members that are left are found by what they have planned or sent', async () => {
      const look = { cause: 'member', status: 'finished' } as const;
      await gating.beginRun(runOf('run00002', { ...look, startedAt: NOW - 10 }));
      await gating.beginRun(runOf('run00003', { ...look, community: ELSEWHERE }));
      await gating.planChanges([
        changeOf(0, { account: '9' }),
        changeOf(0, { run: 'run00002', account: '2' }),
        changeOf(0, { run: 'run00003', account: '3' }),
      ]);
      const [home, elsewhere] = [
        { community: HOME, account: '2' },
        { community: ELSEWHERE, account: '3' },
      ];
      expect(await gating.leftChecks(NOW, ALL)).toEqual([home, elsewhere]);
      expect(await gating.leftChecks(NOW - 10, ALL)).toEqual([home]);
      expect(await gating.leftChecks(NOW, 1)).toHaveLength(1);
      await gating.skipChecks(HOME, '3', 'no-answer');
      await gating.skipChecks(ELSEWHERE, '3', 'no-answer');
      await gating.skipChecks(HOME, '9', 'no-answer');
      expect(await gating.leftChecks(NOW, ALL)).toEqual([home]);
      expect(await gating.changesOf('run00001', 'planned', -1, ALL)).toHaveLength(1);
      await mark(0, { run: 'run00002', account: '2', status: 'unknown' });
      await gating.skipChecks(HOME, '2', 'no-answer');
      expect(await gating.leftChecks(NOW, ALL)).toEqual([home]);
      await mark(0, { run: 'run00002', account: '2', status: 'done' });
      expect(await gating.leftChecks(NOW, ALL)).toEqual([]);
    });

    it('what rules grant is renamed in every rule of the community, and nothing else', async () => {
      await gating.putRule(ruleOf('bbbb', { paused: 'moderator' }));
      await gating.putRule(ruleOf('cccc', { grant: '501' }));
      await gating.putRule(ruleOf('aaaa', { community: ELSEWHERE }));
      await gating.renameGrant(HOME, '500', "Orcas' \u202e");
      const named = async (community = HOME) =>
        (await gating.rulesOf(community)).map(({ id, grantName }) => `${id} ${grantName}`);
      expect(new Set(await named())).toEqual(
        new Set(["aaaa Orcas' \u202e", "bbbb Orcas' \u202e", 'cccc Whales "♥"']),
      );
      expect(await named(ELSEWHERE)).toEqual(['aaaa Whales "♥"']);
      const [first] = await gating.rulesOf(HOME);
      expect(first).toEqual({ ...ruleOf('aaaa'), grantName: "Orcas' \u202e" });
    });

    it('unconfirmed removals by passes are returned once per member and role', async () => {
      await gating.beginRun(runOf('run00002', { community: ELSEWHERE }));
      await gating.planChanges([0, 1, 2].map((number) => changeOf(number, { step: 'take' })));
      // Who rises on the ladder loses nothing.
      const risen = { step: 'take', account: '2', ladder: { way: 'up', other: '501' } } as const;
      await gating.planChanges([changeOf(3, risen)]);
      expect(await gating.changesOf('run00001', 'planned', 2, ALL)).toEqual([changeOf(3, risen)]);
      await mark(3, { ...risen, status: 'done' }, NOW + 10);
      await mark(0, { step: 'take', status: 'done' }, NOW);
      await mark(1, { step: 'take', status: 'done' }, NOW + 10);
      await mark(2, { step: 'take', status: 'refused' }, NOW + 10);
      const taken = [{ grant: '500', account: '1' }];
      expect(await gating.takenSince(HOME, NOW - 1)).toEqual(taken);
      expect(await gating.takenSince(HOME, NOW + 10)).toEqual([]);
      expect(await gating.takenSince(ELSEWHERE, 0)).toEqual([]);
      await gating.endRun('run00001', 'held', NO_COUNTS, NOW);
      await gating.confirmRun('run00001', 'discord:9');
      expect(await gating.takenSince(HOME, NOW - 1)).toEqual([]);
    });

    it('a rule is changed in its current version: paused stays paused, and readings start over', async () => {
      await gating.putGrants(HOME, [
        grantOf('aaaa', '1', { lacks: 2, firstLackAt: NOW, lastLackAt: NOW, dueAt: NOW + 5 }),
      ]);
      await gating.pauseRule(HOME, 'aaaa', 'moderator');
      const requirements = [{ kind: 'score', least: 7 }] as const;
      const chain = 'solana' as const;
      const bounds = [{ kind: 'most', score: 9 }] as const;
      const edit = {
        requirements,
        chain,
        bounds,
        exclusive: true,
        isHidden: true,
        graceSeconds: 9,
      };
      const changed = { ...ruleOf('aaaa', edit), paused: 'moderator' as const };
      const change = (rule: Rule) => ({ ...rule, ...edit, paused: undefined, grant: '501' });
      expect(await gating.changeRule(HOME, 'aaaa', change)).toEqual(changed);
      expect(await gating.rulesOf(HOME)).toEqual([changed]);
      // What the member was told stays true.
      const counted = grantOf('aaaa', '1', { dueAt: NOW + 5 });
      expect(await gating.grantsOf(HOME, ['1'])).toEqual([counted]);
      expect(await gating.removeRule(HOME, 'aaaa')).toEqual(changed);
      expect(await gating.removeRule(HOME, 'aaaa')).toBeUndefined();
      expect(await gating.changeRule(HOME, 'aaaa', change)).toBeUndefined();
      expect(await gating.rulesOf(HOME)).toEqual([]);
    });

    it('of two concurrent changes to a rule, both are kept', async () => {
      await Promise.all([
        gating.changeRule(HOME, 'aaaa', (rule) => ({ ...rule, exclusive: true })),
        gating.changeRule(HOME, 'aaaa', (rule) => ({ ...rule, graceSeconds: 9 })),
      ]);
      const changed = ruleOf('aaaa', { exclusive: true, graceSeconds: 9 });
      expect(await gating.rulesOf(HOME)).toEqual([changed]);
    });

    it('readings start over under a resumed rule', async () => {
      const told = { dueAt: NOW + 5 };
      const counted = { lacks: 3, firstLackAt: NOW - 9, lastLackAt: NOW, warnedAt: NOW, ...told };
      await gating.putGrants(HOME, [grantOf('aaaa', '1', counted)]);
      await gating.pauseRule(HOME, 'aaaa', 'moderator');
      expect(await gating.grantsOf(HOME, ['1'])).toEqual([grantOf('aaaa', '1', counted)]);
      await gating.pauseRule(HOME, 'aaaa', undefined);
      expect(await gating.grantsOf(HOME, ['1'])).toEqual([grantOf('aaaa', '1', told)]);
    });

    it('a rule is paused and resumed only from what it was, if the caller says so', async () => {
      const paused = async () => (await gating.rulesOf(HOME)).map((rule) => rule.paused);
      expect(await gating.pauseRule(HOME, 'aaaa', undefined, 'not-allowed')).toBe(false);
      expect(await gating.pauseRule(HOME, 'aaaa', 'not-allowed', 'active')).toBe(true);
      expect(await gating.pauseRule(HOME, 'aaaa', 'no-role', 'active')).toBe(false);
      expect(await paused()).toEqual(['not-allowed']);
      expect(await gating.pauseRule(HOME, 'aaaa', 'moderator')).toBe(true);
      expect(await gating.pauseRule(HOME, 'aaaa', undefined, 'not-allowed')).toBe(false);
      expect(await paused()).toEqual(['moderator']);
      expect(await gating.pauseRule(HOME, 'none', 'moderator')).toBe(false);
    });

    it("rules for the same role keep a deleted one's latest announced day", async () => {
      await gating.putRule(ruleOf('bbbb'));
      const theirs = { ownership: 'theirs' } as const;
      await gating.putGrants(HOME, [
        grantOf('aaaa', '1', { ...theirs, dueAt: NOW + 9 }),
        grantOf('bbbb', '1', { ...theirs, dueAt: NOW + 5 }),
        grantOf('aaaa', '2', { ...theirs, dueAt: NOW + 9 }),
        grantOf('aaaa', '3', { dueAt: NOW + 5 }),
        grantOf('bbbb', '3', { dueAt: NOW + 9 }),
      ]);
      await gating.removeRule(HOME, 'aaaa');
      const due = (await gating.grantsOf(HOME, ['1', '2', '3'])).map(({ account, dueAt }) => [
        account,
        dueAt,
      ]);
      expect(due).toEqual(['1', '2', '3'].map((account) => [account, NOW + 9]));
    });

    it("a deleted rule's grants are taken over only by others for the same role", async () => {
      await gating.putRule(ruleOf('bbbb'));
      await gating.putRule(ruleOf('cccc', { grant: '501' }));
      await gating.putGrants(HOME, [
        grantOf('aaaa', '1', { joinedAt: 7 }),
        grantOf('aaaa', '2', { ownership: 'none' }),
        grantOf('aaaa', '3', { ownership: 'theirs' }),
        grantOf('aaaa', '4'),
        grantOf('bbbb', '4', { ownership: 'theirs' }),
      ]);
      await gating.removeRule(HOME, 'aaaa');
      expect(await gating.grantsOf(HOME, ['1', '2', '3', '4'])).toEqual([
        grantOf('bbbb', '1', { joinedAt: 7 }),
        grantOf('bbbb', '4'),
      ]);
    });

    it('a deleted rule is only remembered for what it had given and others have taken since', async () => {
      const accounts = ['1', '2', '3', '4', '5'];
      const given = accounts
        .slice(0, 4)
        .map((account, number) =>
          changeOf(number, { account, status: number === 3 ? 'refused' : 'done' }),
        );
      await gating.planChanges(given);
      const kept = [
        grantOf('aaaa', '1', { ownership: 'theirs' }),
        grantOf('aaaa', '2', { ownership: 'none' }),
      ];
      await gating.putGrants(HOME, [
        ...kept,
        grantOf('aaaa', '3'),
        grantOf('aaaa', '4', { ownership: 'theirs' }),
        grantOf('aaaa', '5', { ownership: 'theirs' }),
      ]);
      await gating.removeRule(HOME, 'aaaa');
      expect(await gating.grantsOf(HOME, accounts)).toEqual(kept);
    });

    it('rules and settings are read together, whichever of them there are', async () => {
      const both = async () => ({
        rules: await gating.rulesOf(HOME),
        settings: await gating.settingsOf(HOME),
      });
      expect(await gating.rulesAndSettingsOf(HOME)).toEqual(await both());
      await gating.putSettings(HOME, { logChannel: '9' });
      expect(await gating.rulesAndSettingsOf(HOME)).toEqual(await both());
      await gating.putRule(ruleOf('aaaa', { community: ELSEWHERE }));
      expect(await gating.rulesAndSettingsOf(ELSEWHERE)).toMatchObject({
        rules: [ruleOf('aaaa', { community: ELSEWHERE })],
        settings: { logChannel: undefined },
      });
      for (const id of ['aaaa', 'bbbb']) await gating.putRule(ruleOf(id));
      await gating.putSettings(HOME, { walletMode: 'sum', memory: { totalUsers: 7 } });
      expect(await gating.rulesAndSettingsOf(HOME)).toEqual(await both());
    });

    it("what is on record of members is read together: grants, bars and what's refused", async () => {
      await gating.putRule(ruleOf('aaaa'));
      await gating.putGrants(HOME, [grantOf('aaaa', '1')]);
      await gating.putRefusal(HOME, { account: '2', grant: '500', code: 'refused 1', at: NOW });
      const bar = { grant: '500', at: NOW, by: 'discord:1', isGone: true, name: undefined };
      const about = { run: undefined, rule: undefined, by: bar.by, detail: '' };
      const row = { at: NOW, community: HOME, event: 'barred', ...about } as const;
      for (const account of ['1', '3'])
        await gating.putBars(HOME, [{ bar: { account, ...bar }, row: { ...row, account } }]);
      expect(await gating.recordsOf(HOME, ['1', '2'])).toEqual({
        grants: [grantOf('aaaa', '1')],
        bars: [expect.objectContaining({ account: '1', grant: '500' })],
        refusals: [expect.objectContaining({ account: '2', code: 'refused 1' })],
      });
    });

    it("accounts with a linked wallet that aren't members are counted, and the search progress kept", async () => {
      const roll = { after: '7', completedAt: NOW };
      await gating.putSettings(HOME, { memberScan: roll });
      expect((await gating.settingsOf(HOME)).memberScan).toEqual(roll);
    });
  });
}
