import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GateStore } from '#gating/store';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import { ALL, ELSEWHERE, HOME, NOW } from '../support/gate-records.ts';
import { ETH_A, SOL_A } from '../support/ledger.ts';
import type { StoreUnderTest } from './contract.ts';

const GROUP = ELSEWHERE;
const BIGGER = { platform: 'telegram', id: '-100900' } as const;

/** How every store keeps requests to join. */
export function joinRequestsContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps requests to join`, () => {
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

    const ask = async (account: string, community = GROUP, askedAt = NOW, locale = 'es') =>
      await gating.keepJoinRequest(community, { account, locale, askedAt }, ALL);
    const link = async (id: string, wallet: Wallet) => {
      const account = { platform: GROUP.platform, id };
      const proof = { wallet, by: 'key', network: '', evidence: undefined, text: '' } as const;
      const linked = { account, wallet, proof, linkedAt: NOW, checkedAt: NOW, strikes: 0 };
      await store.links.change(wallet, account, () => ({ events: [], link: linked }));
    };

    it("until they're answered, separately by community", async () => {
      await ask('1');
      await ask('1', HOME);
      expect(await gating.joinRequestOf(GROUP, '1')).toEqual({
        account: '1',
        locale: 'es',
        askedAt: NOW,
      });
      expect(await gating.joinRequestOf(GROUP, '2')).toBeUndefined();
      expect(await gating.endJoinRequest(GROUP, '1')).toBe(true);
      expect(await gating.endJoinRequest(GROUP, '1')).toBe(false);
      expect(await gating.joinRequestOf(GROUP, '1')).toBeUndefined();
      expect(await gating.joinRequestOf(HOME, '1')).toBeDefined();
    });

    it("again when they're repeated", async () => {
      await ask('1');
      await gating.keepJoinRequest(
        GROUP,
        { account: '1', locale: undefined, askedAt: NOW + 60 },
        ALL,
      );
      expect(await gating.joinRequestOf(GROUP, '1')).toEqual({
        account: '1',
        locale: undefined,
        askedAt: NOW + 60,
      });
      expect(await gating.countApplicants(GROUP)).toBe(1);
    });

    it("with the applicants' wallets, page by page", async () => {
      await link('3', ETH_A);
      await link('3', SOL_A);
      for (const account of ['3', '10', '2']) await ask(account);
      const wallets = [ETH_A, SOL_A].toSorted((a, b) => (a.address < b.address ? -1 : 1));
      const asking = (account: string, linked: readonly Wallet[] = []) => ({
        ...{ account, isProtected: false, wallets: linked, asksToJoin: true },
      });
      expect(await gating.applicantsAfter(GROUP, '', 2)).toEqual([asking('10'), asking('2')]);
      expect(await gating.applicantsAfter(GROUP, '2', 2)).toEqual([asking('3', wallets)]);
      expect(await gating.applicant(GROUP, '3')).toEqual(asking('3', wallets));
      expect(await gating.applicant(GROUP, '4')).toBeUndefined();
      expect(await gating.applicantsAfter(HOME, '', ALL)).toEqual([]);
      // Asking to join makes no one a member.
      expect(await gating.membersAfter(GROUP, '', ALL)).toEqual([]);
      expect(await gating.countApplicants(GROUP)).toBe(3);
    });

    it('by account, so that a linked wallet is only judged where it was requested', async () => {
      for (const community of [GROUP, BIGGER, HOME]) await ask('1', community);
      await ask('2', BIGGER);
      expect(await gating.communitiesAsked('telegram', '1')).toEqual([BIGGER, GROUP]);
      expect(await gating.communitiesAsked('telegram', '3')).toEqual([]);
    });

    it('for a limited time', async () => {
      await ask('1', GROUP, NOW);
      await ask('2', HOME, NOW + 1);
      await gating.expireJoinRequests(NOW + 1);
      expect(await gating.joinRequestOf(GROUP, '1')).toBeUndefined();
      expect(await gating.joinRequestOf(HOME, '2')).toBeDefined();
    });

    it('up to a limit per community: the oldest is dropped', async () => {
      await ask('5', HOME, NOW - 9);
      for (const [i, account] of ['2', '1', '3', '4'].entries()) {
        await gating.keepJoinRequest(GROUP, { account, locale: 'es', askedAt: NOW + i }, 3);
      }
      const accounts = (await gating.applicantsAfter(GROUP, '', ALL)).map((each) => each.account);
      expect(accounts).toEqual(['1', '3', '4']);
      expect(await gating.countApplicants(HOME)).toBe(1);
    });

    it('with the group when its id changes', async () => {
      await ask('1');
      await gating.moveCommunity(GROUP, BIGGER);
      expect(await gating.countApplicants(GROUP)).toBe(0);
      expect(await gating.joinRequestOf(BIGGER, '1')).toMatchObject({ askedAt: NOW });
    });

    it("in an account's export, and erased with it", async () => {
      await ask('1');
      await ask('2');
      const account = { platform: 'telegram', id: '1' } as const;
      const kept = { community: GROUP, locale: 'es', askedAt: NOW };
      expect((await store.links.recordOf(account)).joinRequests).toEqual([kept]);
      await store.links.erase(account, NOW);
      expect(await gating.joinRequestOf(GROUP, '1')).toBeUndefined();
      expect(await gating.joinRequestOf(GROUP, '2')).toBeDefined();
    });
  });
}
