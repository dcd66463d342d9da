import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '#command/account';
import type { Community } from '#gating/rules/rule';
import type { GateStore, KnownMember } from '#gating/store';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
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
import { ALGO_A, ETH_A, SOL_A } from '../support/ledger.ts';
import { EFFORT } from '../support/random.ts';
import type { StoreUnderTest } from './contract.ts';

/** How every store keeps rules, settings and members. */
export function gatingContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of gating`, () => {
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

    const link = async (account: Account, wallet: Wallet, linkedAt = NOW) => {
      const proof = { wallet, by: 'key', network: '', evidence: undefined, text: '' } as const;
      const linked = { account, wallet, proof, linkedAt, checkedAt: NOW, strikes: 0 };
      await store.links.change(wallet, account, () => ({ events: [], link: linked }));
    };

    it("accounts with a linked wallet that aren't known members are found page by page", async () => {
      const { platform } = HOME;
      await link({ platform, id: '3' }, ETH_A);
      await link({ platform, id: '1' }, SOL_A);
      await link({ platform, id: '2' }, ALGO_A);
      await gating.noteMembers(HOME, ['2']);
      expect(await gating.linkedElsewhere(HOME, '', 10)).toEqual(['1', '3']);
      expect(await gating.linkedElsewhere(HOME, '', 1)).toEqual(['1']);
      expect(await gating.linkedElsewhere(HOME, '1', 10)).toEqual(['3']);
      expect(await gating.linkedElsewhere(OTHER, '', 10)).toHaveLength(
        OTHER.platform === HOME.platform ? 3 : 0,
      );
    });

    it('an empty store knows no rule and nobody', async () => {
      expect(await gating.communities()).toEqual([]);
      expect(await gating.rulesOf(HOME)).toEqual([]);
      expect(await gating.settingsOf(HOME)).toEqual({
        logChannel: undefined,
        memory: undefined,
        memberScan: undefined,
      });
      expect(await gating.membersAfter(HOME, '', ALL)).toEqual([]);
      expect(await gating.member(HOME, '1')).toBeUndefined();
      expect(await gating.countMembers(HOME)).toBe(0);
      expect(await gating.communitiesOf('discord', '1')).toEqual([]);
      expect(await gating.grantsOf(HOME, ['1'])).toEqual([]);
      expect(await gating.holdersAfter(HOME, ['aaaa'], '', 9)).toEqual([]);
    });

    describe('rules', () => {
      it('are returned in full, oldest first, and replaced by their id', async () => {
        const newer = ruleOf('aaaa', {
          createdAt: NOW + 1,
          requirements: [
            { kind: 'score', least: 700 },
            { kind: 'badge', badge: 'voter' },
            { kind: 'top', most: 100 },
          ],
          match: 'any',
          chain: 'algorand',
          bounds: [
            { kind: 'below', tier: 'Whale' },
            { kind: 'most', score: 4_000 },
          ],
          exclusive: true,
          isHidden: true,
          graceSeconds: 0,
          paused: 'no-role',
        });
        await gating.putRule(newer);
        await gating.putRule(ruleOf('bbbb'));
        expect(await gating.rulesOf(HOME)).toEqual([ruleOf('bbbb'), newer]);
        const ethereum = ruleOf('bbbb', { chain: 'ethereum', grantName: 'Sharks' });
        await gating.putRule(ethereum);
        expect(await gating.rulesOf(HOME)).toEqual([ethereum, newer]);
      });

      it('Rules with one id in different communities are different rules', async () => {
        const rules = [HOME, OTHER, ELSEWHERE].map((community) => ruleOf('aaaa', { community }));
        for (const rule of rules) await gating.putRule(rule);
        for (const rule of rules) {
          await gating.noteMembers(rule.community, ['1']);
          await gating.putGrants(rule.community, [grantOf('aaaa', '1')]);
        }
        expect(await gating.communities()).toEqual([HOME, OTHER, ELSEWHERE]);
        await gating.removeRule(HOME, 'aaaa');
        expect(await gating.communities()).toEqual([OTHER, ELSEWHERE]);
        expect(await gating.grantsOf(HOME, ['1'])).toEqual([]);
        expect(await gating.rulesOf(OTHER)).toEqual([rules[1]]);
        expect(await gating.rulesOf(ELSEWHERE)).toEqual([rules[2]]);
        expect(await gating.grantsOf(OTHER, ['1'])).toHaveLength(1);
        expect(await gating.grantsOf(ELSEWHERE, ['1'])).toHaveLength(1);
      });

      it('are paused in their current version, and not restored', async () => {
        await gating.putRule(ruleOf('aaaa', { graceSeconds: 5 }));
        await gating.pauseRule(HOME, 'aaaa', 'undo');
        await gating.pauseRule(HOME, 'bbbb', 'undo');
        await gating.pauseRule(ELSEWHERE, 'aaaa', 'moderator');
        const paused = ruleOf('aaaa', { graceSeconds: 5, paused: 'undo' });
        expect(await gating.rulesOf(HOME)).toEqual([paused]);
        expect(await gating.rulesOf(ELSEWHERE)).toEqual([]);
        await gating.pauseRule(HOME, 'aaaa', undefined);
        expect((await gating.rulesOf(HOME))[0]?.paused).toBeUndefined();
      });

      it('leave nothing behind but what they did', async () => {
        await gating.putRule(ruleOf('aaaa'));
        await gating.putRule(ruleOf('bbbb'));
        await gating.putGrants(HOME, [grantOf('aaaa', '1'), grantOf('bbbb', '1')]);
        await gating.beginRun(runOf('run00001'));
        const done = changeOf(0, { status: 'done' });
        const others = changeOf(2, { rule: 'bbbb' });
        await gating.planChanges([done, changeOf(1), others]);
        await gating.audit([auditRow('given', { rule: 'aaaa', account: '1' })]);
        await gating.removeRule(HOME, 'aaaa');
        expect(await gating.rulesOf(HOME)).toEqual([ruleOf('bbbb')]);
        expect(await gating.grantsOf(HOME, ['1'])).toEqual([grantOf('bbbb', '1')]);
        expect(await gating.changesOf('run00001', undefined, -1, ALL)).toEqual([done, others]);
        expect(await gating.auditOf(HOME, undefined, ALL, 0)).toHaveLength(1);
        // A run that still knows the rule must not leave anything for a later rule with its id.
        await gating.putGrants(HOME, [grantOf('aaaa', '1'), grantOf('bbbb', '2')]);
        await gating.putRule(ruleOf('aaaa'));
        expect(await gating.grantsOf(HOME, ['1', '2'])).toEqual([
          grantOf('bbbb', '1'),
          grantOf('bbbb', '2'),
        ]);
      });
    });

    it('settings are replaced one by one', async () => {
      const memory = { totalUsers: 12 };
      await gating.putSettings(HOME, { memory });
      expect(await gating.settingsOf(HOME)).toEqual({
        logChannel: undefined,
        memory,
        memberScan: undefined,
      });
      await gating.putSettings(HOME, { logChannel: '77' });
      expect(await gating.settingsOf(HOME)).toEqual({
        logChannel: '77',
        memory,
        memberScan: undefined,
      });
      await gating.putSettings(HOME, { logChannel: undefined, memory: { totalUsers: 13 } });
      const both = { logChannel: undefined, memory: { totalUsers: 13 }, memberScan: undefined };
      expect(await gating.settingsOf(HOME)).toEqual(both);
      await gating.putSettings(HOME, { isLadder: true });
      expect(await gating.settingsOf(HOME)).toEqual({ ...both, isLadder: true });
      await gating.putSettings(HOME, { isLadder: false, language: 'es' });
      expect(await gating.settingsOf(HOME)).toEqual({ ...both, language: 'es' });
      await gating.putSettings(HOME, { language: undefined, auditCursor: '1290000000000000001' });
      expect(await gating.settingsOf(HOME)).toEqual({
        ...both,
        auditCursor: '1290000000000000001',
      });
      await gating.putSettings(HOME, { auditCursor: undefined });
      await gating.putSettings(HOME, {});
      expect(await gating.settingsOf(HOME)).toEqual(both);
      expect((await gating.settingsOf(ELSEWHERE)).memory).toBeUndefined();
    });

    describe('members', () => {
      it('come with their wallets in the order of linking, on their platform only', async () => {
        const alice: Account = { platform: 'discord', id: '1' };
        await link(alice, ETH_A, NOW + 1);
        await link(alice, SOL_A);
        await link({ platform: 'telegram', id: '1' }, ETH_A);
        await link({ platform: 'discord', id: '3' }, ALGO_A);
        await store.links.setChoice(alice, { privacy: 'hidden', communities: [] }, NOW);
        await gating.noteMembers(HOME, ['2', '1']);
        await gating.noteMembers(ELSEWHERE, ['1']);
        const first = { account: '1', isProtected: false, wallets: [SOL_A, ETH_A] };
        const second = { account: '2', isProtected: false, wallets: [] };
        expect(await gating.membersAfter(HOME, '', ALL)).toEqual([first, second]);
        expect(await gating.member(HOME, '1')).toEqual(first);
        expect(await gating.member(HOME, '2')).toEqual(second);
        expect(await gating.member(HOME, '3')).toBeUndefined();
        expect(await gating.membersAfter(ELSEWHERE, '', ALL)).toEqual([
          { ...first, wallets: [ETH_A] },
        ]);
        expect(await gating.countMembers(HOME)).toBe(2);
        expect(await gating.countMembers(OTHER)).toBe(0);
      });

      it('and what they link make a difference, but nobody else’s links do', async () => {
        await gating.turnOn(HOME, { channel: HOME.id, from: 'Shark', badges: undefined });
        const seen = new Set([await gating.linksIn(HOME)]);
        const tells = async (change: () => unknown, isNew = true) => {
          await change();
          const now = await gating.linksIn(HOME);
          expect(seen.has(now)).toBe(!isNew);
          seen.add(now);
        };
        await tells(() => link({ platform: 'discord', id: '1' }, ETH_A), false);
        await tells(() => gating.noteMembers(HOME, ['1', '2']));
        await tells(() => link({ platform: 'telegram', id: '1' }, ETH_A), false);
        await tells(() => link({ platform: 'discord', id: '2' }, SOL_A));
        await tells(() => link({ platform: 'discord', id: '1' }, ALGO_A, NOW + 1));
        const none = { events: [], link: null };
        await tells(() => store.links.change(ALGO_A, { platform: 'discord', id: '1' }, () => none));
        await tells(() => link({ platform: 'discord', id: '3' }, SOL_A));
        await tells(() => gating.noteMembers(HOME, ['3', '4']));
        await tells(() => gating.noteMembers(HOME, ['3', '5']), false);
        await tells(() => gating.forgetMember(HOME, '3'), false);
        await tells(() => gating.noteMembers(HOME, ['3']));
        await link({ platform: 'discord', id: '6' }, ALGO_A);
        await tells(() => gating.protect(HOME, '6', true));
        await tells(() => gating.noteMembers(ELSEWHERE, ['6']), false);
        await tells(() => gating.moveCommunity(OTHER, HOME));
      });

      it('are recorded again without a change, and forgotten with their grants', async () => {
        await gating.putRule(ruleOf('aaaa'));
        expect((await gating.noteMembers(HOME, ['1', '2', '2'])).toSorted()).toEqual(['1', '2']);
        await gating.noteMembers(OTHER, ['1']);
        await gating.protect(HOME, '1', true);
        await gating.putGrants(HOME, [grantOf('aaaa', '1'), grantOf('aaaa', '2')]);
        expect(await gating.noteMembers(HOME, ['1', '3'])).toEqual(['3']);
        expect((await gating.member(HOME, '1'))?.isProtected).toBe(true);
        await gating.forgetMember(HOME, '1');
        expect(await gating.member(HOME, '1')).toBeUndefined();
        expect(await gating.grantsOf(HOME, ['1', '2'])).toEqual([grantOf('aaaa', '2')]);
        expect(await gating.countMembers(HOME)).toBe(2);
        expect(await gating.member(OTHER, '1')).toBeDefined();
        expect(await gating.communitiesOf('discord', '1')).not.toContainEqual(HOME);
        // Protected members are still protected when they return.
        expect(await gating.noteMembers(HOME, ['1'])).toEqual(['1']);
        expect((await gating.member(HOME, '1'))?.isProtected).toBe(true);
        expect(await gating.countMembers(HOME)).toBe(3);
        expect(await gating.grantsOf(HOME, ['1'])).toEqual([]);
      });

      it('are missing since the first list without them, until recorded again', async () => {
        await gating.noteMembers(HOME, ['1', '2']);
        await gating.noteMembers(OTHER, ['1']);
        const miss = async (accounts: readonly string[], now: number, before: number) =>
          await gating.missMembers(HOME, accounts, now, before);
        expect(await miss(['1', '2', '3'], NOW, NOW - 60)).toEqual([]);
        expect(await miss(['1', '2'], NOW + 59, NOW - 1)).toEqual([]);
        await gating.noteMembers(HOME, ['2']);
        expect(await miss(['1', '2'], NOW + 60, NOW)).toEqual(['1']);
        expect(await gating.missMembers(OTHER, ['1'], NOW + 60, NOW)).toEqual([]);
        expect(await miss([], NOW + 60, NOW)).toEqual([]);
        expect(await gating.countMembers(HOME)).toBe(2);
        // Protected members start over when they return.
        await gating.protect(HOME, '1', true);
        await gating.forgetMember(HOME, '1');
        expect(await miss(['1'], NOW + 60, NOW + 60)).toEqual([]);
        await gating.noteMembers(HOME, ['1']);
        expect(await miss(['1'], NOW + 90, NOW + 60)).toEqual([]);
      });

      it('are protected and unprotected, known before or not', async () => {
        await gating.protect(HOME, '1', true);
        expect((await gating.member(HOME, '1'))?.isProtected).toBe(true);
        expect(await gating.member(ELSEWHERE, '1')).toBeUndefined();
        await gating.protect(HOME, '1', false);
        await gating.protect(HOME, '2', false);
        expect(await gating.membersAfter(HOME, '', ALL)).toEqual([
          { account: '1', isProtected: false, wallets: [] },
        ]);
      });

      it('are found in the communities that have rules', async () => {
        for (const community of [HOME, OTHER, ELSEWHERE])
          await gating.noteMembers(community, ['1']);
        await gating.putRule(ruleOf('aaaa', { community: OTHER }));
        await gating.putRule(ruleOf('aaaa', { community: ELSEWHERE }));
        expect(await gating.communitiesOf('discord', '1')).toEqual([OTHER]);
        expect(await gating.communitiesOf('telegram', '1')).toEqual([ELSEWHERE]);
        expect(await gating.communitiesOf('discord', '2')).toEqual([]);
        await gating.putRule(ruleOf('aaaa'));
        expect(await gating.communitiesOf('discord', '1')).toEqual([HOME, OTHER]);
      });

      it('are all returned, once and in order, whatever the page size', async () => {
        const account = fc.bigInt({ min: 1n, max: 300n }).map(String);
        const memberships = fc.record({
          members: fc.uniqueArray(account, { maxLength: 40 }),
          strangers: fc.uniqueArray(account, { maxLength: 10 }),
          left: fc.uniqueArray(account, { maxLength: 10 }),
          wallets: fc.array(account, { maxLength: 40 }),
          limit: fc.integer({ min: 1, max: 12 }),
        });
        const tried = { times: 0 };
        /** By wallet, the account it was last given to. */
        const owners = new Map<string, string>();
        const walletsOf = (id: string) =>
          [...owners]
            .filter(([, owner]) => owner === id)
            .map(([address]) => ({ chain: 'solana', address }))
            .toSorted((a, b) => inOrder(a.address, b.address));
        await fc.assert(
          fc.asyncProperty(memberships, async ({ members, strangers, left, wallets, limit }) => {
            tried.times += 1;
            const here: Community = { platform: 'telegram', id: `here${tried.times}` };
            await gating.noteMembers({ ...here, id: `next${tried.times}` }, strangers);
            await gating.noteMembers({ ...here, platform: 'discord' }, strangers);
            await gating.noteMembers(here, members);
            for (const each of left) await gating.forgetMember(here, each);
            for (const [i, id] of wallets.entries()) {
              owners.set(`wallet${i}`, id);
              await link({ platform: 'telegram', id }, { chain: 'solana', address: `wallet${i}` });
            }
            const pages: KnownMember[][] = [];
            for (let after = ''; ; ) {
              const page = await gating.membersAfter(here, after, limit);
              const last = page.at(-1);
              if (last === undefined) break;
              after = last.account;
              pages.push([...page]);
            }
            const wanted = members
              .filter((each) => !left.includes(each))
              .toSorted(inOrder)
              .map((id) => ({ account: id, isProtected: false, wallets: walletsOf(id) }));
            expect(pages.flat()).toEqual(wanted);
            expect(pages).toHaveLength(Math.ceil(wanted.length / limit));
            expect(await gating.countMembers(here)).toBe(wanted.length);
          }),
          { numRuns: 10 * EFFORT },
        );
      });
    });

    it('a moved community takes everything along but its audit rows, and ends active runs', async () => {
      const memory = { totalUsers: 12 };
      const to: Community = { platform: 'telegram', id: '-10010' };
      for (const community of [ELSEWHERE, HOME]) {
        await gating.putRule(ruleOf('aaaa', { community }));
        await gating.putSettings(community, { memory });
        await gating.protect(community, '1', true);
        await gating.putGrants(community, [grantOf('aaaa', '1')]);
        await gating.beginRun(runOf(`run${community.platform}`, { community }));
        await gating.audit([auditRow('held', { community })]);
      }
      await gating.noteMembers(ELSEWHERE, ['2']);
      await gating.missMembers(ELSEWHERE, ['2'], NOW - 60, 0);
      await gating.moveCommunity(ELSEWHERE, to);
      // Since when it was missed moves, too.
      expect(await gating.missMembers(to, ['2'], NOW, NOW - 60)).toEqual(['2']);
      await gating.forgetMember(to, '2');
      expect(await gating.communities()).toEqual([HOME, to]);
      expect(await gating.rulesOf(to)).toEqual([ruleOf('aaaa', { community: to })]);
      expect((await gating.settingsOf(to)).memory).toEqual(memory);
      expect((await gating.member(to, '1'))?.isProtected).toBe(true);
      expect(await gating.grantsOf(to, ['1'])).toEqual([grantOf('aaaa', '1')]);
      expect(await gating.rulesOf(ELSEWHERE)).toEqual([]);
      expect(await gating.countMembers(ELSEWHERE)).toBe(0);
      expect(await gating.grantsOf(ELSEWHERE, ['1'])).toEqual([]);
      expect(await gating.auditOf(ELSEWHERE, undefined, ALL, 0)).toHaveLength(1);
      // Its log goes on, however often it moves.
      const further: Community = { ...to, id: '-10011' };
      await gating.audit([auditRow('protected', { community: to, account: '1' })]);
      await gating.moveCommunity(to, further);
      await gating.audit([auditRow('unprotected', { community: further, account: '1' })]);
      const events = async (account?: string, limit = ALL, offset = 0) =>
        (await gating.logOf(further, account, limit, offset)).map(({ event }) => event);
      expect(await events()).toEqual(['unprotected', 'protected', 'held']);
      expect(await events('1')).toEqual(['unprotected', 'protected']);
      expect(await events(undefined, 1, 1)).toEqual(['protected']);
      expect(await gating.auditOf(further, undefined, ALL, 0)).toHaveLength(3);
      await gating.moveCommunity(further, to);
      expect((await gating.openRuns()).map(({ id }) => id)).toEqual(['rundiscord']);
      expect(await gating.countMembers(HOME)).toBe(1);
    });
  });
}

/** Orders ids as text: shorter ones don't come first. */
function inOrder(a: string, b: string): number {
  return a < b ? -1 : 1;
}
