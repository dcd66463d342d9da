import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '#command/account';
import type { LinkRequest } from '#linking/challenge/requests';
import type { Claim, Link } from '#linking/link-records';
import type { StoredProof } from '#linking/proving/proof';
import type { LinkChanges, WalletState } from '#linking/rules';
import type { LinkStore } from '#linking/store';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import { ALGO_A, ETH_A, ETH_B, SOL_A } from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';
import type { StoreUnderTest } from './contract.ts';

const ALICE: Account = { platform: 'discord', id: '1' };
const BOB: Account = { platform: 'discord', id: '2' };
/** The same id on another platform is another person. */
const ALICE_ELSEWHERE: Account = { platform: 'telegram', id: '1' };
const NOW = 1_800_000_000;

function proofOf(wallet: Wallet, change: Partial<StoredProof> = {}): StoredProof {
  const text = `sign\n${wallet.address}`;
  return { wallet, by: 'key', network: 'eip155:1', evidence: undefined, text, ...change };
}

function linkOf(account: Account, wallet: Wallet, change: Partial<Link> = {}): Link {
  const proof = proofOf(wallet);
  return { account, wallet, proof, linkedAt: NOW, checkedAt: NOW, strikes: 0, ...change };
}

function claimOf(account: Account, wallet: Wallet, dueAt: number): Claim {
  return { account, wallet, proof: proofOf(wallet), claimedAt: NOW, dueAt };
}

function requestOf(account: Account, change: Partial<LinkRequest> = {}): LinkRequest {
  return {
    id: `${account.platform}${account.id}`,
    version: 0,
    account: { ...account, name: 'Alice "A" ✨', username: 'alice', avatar: undefined },
    way: 'page',
    createdAt: NOW,
    expiresAt: NOW + 600,
    ticket: 'ticket',
    session: undefined,
    challengesLeft: 6,
    challenge: undefined,
    proved: undefined,
    ...change,
  };
}

/** How every store keeps linked wallets. */
export function linksContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of linked wallets`, () => {
    let store: Store;
    let links: LinkStore;

    beforeEach(async () => {
      store = await under.open();
      links = store.links;
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    const put = async (account: Account, wallet: Wallet, changes: Partial<LinkChanges>) =>
      await links.change(wallet, account, () => ({ events: [], ...changes }));

    async function situation(account: Account, wallet: Wallet): Promise<WalletState> {
      let seen: WalletState | undefined;
      await links.change(wallet, account, (given) => {
        seen = given;
        return { events: [] };
      });
      return seen as WalletState;
    }

    it('a request from before the clock was set back is over', async () => {
      await links.putRequest(requestOf(ALICE, { createdAt: NOW + 7_200, expiresAt: NOW + 7_800 }));
      expect(await links.findRequest({ ticket: 'ticket' }, NOW + 7_200)).toBeDefined();
      expect(await links.findRequest({ ticket: 'ticket' }, NOW)).toBeUndefined();
      // By a few minutes, it goes on.
      expect(await links.findRequest({ ticket: 'ticket' }, NOW + 6_900)).toBeDefined();
      expect(await links.prune(NOW)).toBe(1);
    });

    it('an empty store knows nothing', async () => {
      expect(await links.linksOf(ALICE)).toEqual([]);
      expect(await links.claimsAgainst(ALICE)).toEqual([]);
      expect(await links.claimsBy(ALICE)).toEqual([]);
      expect(await links.dueClaims(NOW, 10)).toEqual([]);
      expect(await links.linksToCheck(NOW, NOW, 10)).toEqual([]);
      expect(await links.choiceOf(ALICE)).toBeUndefined();
      expect(await links.findRequest({ ticket: 'ticket' }, NOW)).toBeUndefined();
      expect(await situation(ALICE, ETH_A)).toEqual({
        link: undefined,
        claim: undefined,
        hold: undefined,
        linked: 0,
        waiting: 0,
        signed: [],
        vaults: [],
      });
      expect(await links.recordOf(ALICE)).toEqual({
        links: [],
        claims: [],
        holds: [],
        choice: undefined,
        requests: [],
        events: [],
        communities: [],
        joinRequests: [],
        usernames: [],
        audit: [],
      });
    });

    it('links are returned in full, oldest first, and to their own account only', async () => {
      const contract = proofOf(ETH_A, { by: 'contract', evidence: '0xabc', text: 'a\nb' });
      const newer = linkOf(ALICE, ETH_A, { linkedAt: NOW + 1, proof: contract, strikes: 2 });
      const older = linkOf(ALICE, ALGO_A);
      await put(ALICE, ETH_A, { link: newer });
      await put(ALICE, ALGO_A, { link: older });
      await put(BOB, SOL_A, { link: linkOf(BOB, SOL_A) });
      expect(await links.linksOf(ALICE)).toEqual([older, newer]);
      expect(await links.linksOf(ALICE_ELSEWHERE)).toEqual([]);
      expect((await situation(BOB, ETH_A)).link).toEqual(newer);
      expect((await situation(BOB, ETH_A)).linked).toBe(1);
      expect((await situation(ALICE, SOL_A)).linked).toBe(2);
    });

    it('a wallet can belong to one account on each platform', async () => {
      await put(ALICE, ETH_A, { link: linkOf(ALICE, ETH_A) });
      await put(ALICE_ELSEWHERE, ETH_A, { link: linkOf(ALICE_ELSEWHERE, ETH_A) });
      await put(BOB, ETH_A, { link: linkOf(BOB, ETH_A) });
      expect(await links.linksOf(ALICE)).toEqual([]);
      expect(await links.linksOf(BOB)).toHaveLength(1);
      expect(await links.linksOf(ALICE_ELSEWHERE)).toHaveLength(1);
    });

    it('claims are shown to both sides and come due in order', async () => {
      await put(ALICE, ETH_A, { link: linkOf(ALICE, ETH_A) });
      await put(ALICE, ETH_B, { link: linkOf(ALICE, ETH_B) });
      const later = claimOf(BOB, ETH_A, NOW + 20);
      const sooner = claimOf(BOB, ETH_B, NOW + 10);
      await put(BOB, ETH_A, { claim: later });
      await put(BOB, ETH_B, { claim: sooner });
      expect(await links.claimsAgainst(ALICE)).toEqual([sooner, later]);
      expect(await links.claimsAgainst(BOB)).toEqual([]);
      expect(await links.claimsBy(BOB)).toEqual([sooner, later]);
      expect(await situation(BOB, ETH_A)).toMatchObject({ linked: 0, waiting: 1 });
      expect(await situation(BOB, SOL_A)).toMatchObject({ linked: 0, waiting: 2 });
      expect(await situation(ALICE, SOL_A)).toMatchObject({ linked: 2, waiting: 0 });
      expect(await links.dueClaims(NOW + 9, 10)).toEqual([]);
      expect(await links.dueClaims(NOW + 10, 10)).toEqual([sooner]);
      expect(await links.dueClaims(NOW + 20, 1)).toEqual([sooner]);
      await put(BOB, ETH_B, { claim: null });
      expect(await links.claimsBy(BOB)).toEqual([later]);
    });

    it("what is removed is gone, and what isn't mentioned stays", async () => {
      await put(ALICE, ETH_A, {
        link: linkOf(ALICE, ETH_A),
        claim: claimOf(BOB, ETH_A, NOW + 1),
        hold: { wallet: ETH_A, keeper: ALICE, until: NOW + 5, isDelegated: false },
      });
      await put(ALICE, ETH_A, { link: null });
      const left = await situation(ALICE, ETH_A);
      expect(left.link).toBeUndefined();
      expect(left.claim).toEqual(claimOf(BOB, ETH_A, NOW + 1));
      expect(left.hold).toEqual({
        wallet: ETH_A,
        keeper: ALICE,
        until: NOW + 5,
        isDelegated: false,
      });
      await put(ALICE, ETH_A, { claim: null, hold: null });
      expect(await situation(ALICE, ETH_A)).toMatchObject({ claim: undefined, hold: undefined });
    });

    const VAULT = proofOf(ETH_B, { by: 'delegation', evidence: ETH_A.address });

    it('tells a decision what was signed, and which vaults depend on the wallet', async () => {
      await put(ALICE, ETH_A, { link: linkOf(ALICE, ETH_A) });
      await put(ALICE, ETH_B, { link: linkOf(ALICE, ETH_B, { proof: VAULT }) });
      await put(BOB, SOL_A, { link: linkOf(BOB, SOL_A) });
      const vault = linkOf(ALICE, ETH_B, { proof: VAULT });
      expect(await situation(ALICE, ETH_A)).toMatchObject({ linked: 2, signed: [ETH_A] });
      expect((await situation(ALICE, ETH_A)).vaults).toEqual([vault]);
      const seen = await situation(BOB, ETH_A);
      expect(seen).toMatchObject({ linked: 1, signed: [SOL_A], vaults: [vault] });
      expect((await situation(ALICE, ETH_B)).vaults).toEqual([]);
    });

    it('tells a decision of vaults in the order in which they were linked', async () => {
      const vaults = ['a', '1', 'f'].map((digit, place) => {
        const wallet: Wallet = { chain: 'ethereum', address: `0x${digit.repeat(40)}` };
        const proof = proofOf(wallet, { by: 'delegation', evidence: ETH_A.address });
        return linkOf(ALICE, wallet, { proof, linkedAt: NOW - place });
      });
      await put(ALICE, ETH_A, { link: linkOf(ALICE, ETH_A) });
      for (const vault of vaults) await put(ALICE, vault.wallet, { link: vault });
      expect((await situation(ALICE, ETH_A)).vaults).toEqual(vaults.toReversed());
    });

    it('ends vaults with the wallet that they delegated to, and keeps them reserved', async () => {
      await put(ALICE, ETH_A, { link: linkOf(ALICE, ETH_A) });
      await put(ALICE, ETH_B, { link: linkOf(ALICE, ETH_B, { proof: VAULT }) });
      const hold = { wallet: ETH_B, keeper: ALICE, until: NOW + 5, isDelegated: true };
      await put(ALICE, ETH_A, { link: null, ended: [hold] });
      expect(await links.linksOf(ALICE)).toEqual([]);
      expect((await situation(BOB, ETH_B)).hold).toEqual(hold);
    });

    it('erases a vault so that its owner can still sign for it', async () => {
      await put(ALICE, ETH_B, { link: linkOf(ALICE, ETH_B, { proof: VAULT }) });
      await links.erase(ALICE, NOW + 50);
      expect((await situation(BOB, ETH_B)).hold).toMatchObject({
        keeper: undefined,
        isDelegated: true,
      });
      const signed = proofOf(ETH_A, { text: '{"by":"delegation"' });
      await put(ALICE, ETH_A, { link: linkOf(ALICE, ETH_A, { proof: signed }) });
      await links.erase(ALICE, NOW + 50);
      const { hold } = await situation(BOB, ETH_A);
      expect(hold).toMatchObject({ keeper: undefined, isDelegated: false });
    });

    it('a decision that throws changes nothing', async () => {
      const refuse = async () =>
        await links.change(ETH_A, ALICE, () => {
          throw new RangeError('no');
        });
      await expect(refuse()).rejects.toThrow(RangeError);
      await put(ALICE, ETH_A, { link: linkOf(ALICE, ETH_A) });
      await expect(refuse()).rejects.toThrow(RangeError);
      expect(await links.linksOf(ALICE)).toHaveLength(1);
    });

    it('a request is found by its ticket, its browser and its account until it expires', async () => {
      const challenge = { wallet: SOL_A, text: 'sign\nthis', expiresAt: NOW + 300 };
      const proved = { proof: proofOf(SOL_A), code: 'hash', triesLeft: 3, expiresAt: NOW + 9 };
      const pending = {
        ...{ wallet: SOL_A, text: 'a text', submission: { form: undefined, signature: '0xab' } },
        ...{ tries: 2, retryAt: NOW + 20, until: NOW + 600 },
      } as const;
      const settled = { code: 'owners-missing', message: 'a reason', values: ['1', '2'] } as const;
      const request = requestOf(ALICE, {
        ...{ session: 'browser', challenge, proved, pending, settled, locale: 'es' },
      });
      await links.putRequest(request);
      for (const key of [
        { ticket: 'ticket' },
        { session: 'browser' },
        { account: ALICE, way: 'page' },
      ] as const) {
        expect(await links.findRequest(key, NOW)).toEqual(request);
        expect(await links.findRequest(key, NOW + 600)).toBeUndefined();
      }
      expect(await links.unfinishedRequests(NOW, 9)).toEqual([request]);
      expect(await links.unfinishedRequests(NOW + 600, 9)).toEqual([]);
      expect(await links.findRequest({ ticket: 'other' }, NOW)).toBeUndefined();
      expect(await links.findRequest({ session: 'ticket' }, NOW)).toBeUndefined();
      expect(await links.findRequest({ account: ALICE, way: 'chat' }, NOW)).toBeUndefined();
      expect(await links.findRequest({ account: BOB, way: 'page' }, NOW)).toBeUndefined();
    });

    it('an account has one request of each kind, the newest', async () => {
      await links.putRequest(requestOf(ALICE));
      const untold = requestOf(ALICE, { id: 'b', way: 'chat', ticket: undefined, untold: true });
      await links.putRequest(untold);
      await links.putRequest(requestOf(ALICE, { id: 'c', ticket: 'newer' }));
      expect(await links.unfinishedRequests(NOW, 9)).toEqual([untold]);
      expect(await links.findRequest({ ticket: 'ticket' }, NOW)).toBeUndefined();
      expect((await links.findRequest({ ticket: 'newer' }, NOW))?.id).toBe('c');
      expect((await links.findRequest({ account: ALICE, way: 'chat' }, NOW))?.id).toBe('b');
      const { requests } = await links.recordOf(ALICE);
      expect(requests).toEqual([
        { way: 'chat', createdAt: NOW },
        { way: 'page', createdAt: NOW },
      ]);
    });

    it('of two concurrent changes to a request, the second is told that it was late', async () => {
      await links.putRequest(requestOf(ALICE));
      const read = await links.findRequest({ ticket: 'ticket' }, NOW);
      if (read === undefined) throw new Error('not kept');
      expect(await links.changeRequest({ ...read, session: 'first' })).toBe(true);
      expect(await links.changeRequest({ ...read, session: 'second' })).toBe(false);
      expect(await links.dropRequest(read)).toBe(false);
      const now = await links.findRequest({ ticket: 'ticket' }, NOW);
      expect(now).toEqual({ ...read, version: 1, session: 'first' });
      if (now === undefined) throw new Error('gone');
      expect(await links.dropRequest(now)).toBe(true);
      expect(await links.dropRequest(now)).toBe(false);
      expect(await links.changeRequest(now)).toBe(false);
      expect(await links.findRequest({ ticket: 'ticket' }, NOW)).toBeUndefined();
    });

    it('checks are only recorded for the proof that was checked', async () => {
      const link = linkOf(ALICE, ETH_A, { checkedAt: NOW - 100 });
      await put(ALICE, ETH_A, { link });
      await put(BOB, ETH_B, { link: linkOf(BOB, ETH_B, { checkedAt: NOW - 200 }) });
      const due = await links.linksToCheck(NOW, NOW, 10);
      expect(due.map(({ wallet }) => wallet.address)).toEqual([ETH_B.address, ETH_A.address]);
      expect(await links.linksToCheck(NOW, NOW, 1)).toHaveLength(1);
      expect(await links.linksToCheck(NOW - 200, NOW, 10)).toEqual([]);
      await links.noteCheck(link, NOW, 2);
      expect(await links.linksOf(ALICE)).toEqual([{ ...link, checkedAt: NOW, strikes: 2 }]);
      // Proven again meanwhile: an older check says nothing about it.
      const renewed = linkOf(ALICE, ETH_A, { proof: proofOf(ETH_A, { text: 'newer' }) });
      await put(ALICE, ETH_A, { link: renewed });
      await links.noteCheck(link, NOW + 5, 3);
      expect(await links.linksOf(ALICE)).toEqual([renewed]);
    });

    it('a choice is kept and replaced', async () => {
      await links.setChoice(ALICE, { privacy: 'community', communities: ['7', '8'] }, NOW);
      expect(await links.choiceOf(ALICE)).toEqual({
        privacy: 'community',
        communities: ['7', '8'],
      });
      await links.setChoice(ALICE, { privacy: 'public', communities: [] }, NOW + 1);
      expect(await links.choiceOf(ALICE)).toEqual({ privacy: 'public', communities: [] });
      expect(await links.choiceOf(ALICE_ELSEWHERE)).toBeUndefined();
      expect((await links.recordOf(ALICE)).events.map(({ event, at }) => [event, at])).toEqual([
        ['privacy', NOW],
        ['privacy', NOW + 1],
      ]);
    });

    it("what is erased is gone, others' data stays, and nothing says whose it was", async () => {
      const linked = { at: NOW, account: ALICE, event: 'linked', wallet: ETH_A } as const;
      await put(ALICE, ETH_A, { link: linkOf(ALICE, ETH_A), events: [linked] });
      await put(ALICE, SOL_A, { claim: claimOf(ALICE, SOL_A, NOW + 9) });
      await put(ALICE, ETH_B, {
        hold: { wallet: ETH_B, keeper: ALICE, until: NOW + 9, isDelegated: true },
      });
      await put(BOB, ALGO_A, {
        link: linkOf(BOB, ALGO_A),
        events: [{ at: NOW, account: BOB, event: 'linked', wallet: ALGO_A }],
      });
      await links.putRequest(requestOf(ALICE));
      await links.setChoice(ALICE, { privacy: 'public', communities: [] }, NOW);
      await store.keys.add({ label: 'mine', owner: 'discord:1', hash: 'a'.repeat(64) }, 3);
      await store.keys.add({ label: 'not mine', owner: 'discord:2', hash: 'b'.repeat(64) }, 3);
      const record = await links.recordOf(ALICE);
      expect(record.events.map(({ event }) => event)).toEqual(['linked', 'privacy']);
      expect(record.holds).toEqual([
        { wallet: ETH_B, keeper: ALICE, until: NOW + 9, isDelegated: true },
      ]);

      await links.erase(ALICE, NOW + 50);
      expect(await links.recordOf(ALICE)).toEqual({
        links: [],
        claims: [],
        holds: [],
        choice: undefined,
        requests: [],
        events: [],
        communities: [],
        joinRequests: [],
        usernames: [],
        audit: [],
      });
      expect(await store.keys.list('discord:1')).toEqual([]);
      expect(await store.keys.findByHash('a'.repeat(64))).toBeUndefined();
      expect((await situation(BOB, ETH_A)).hold).toEqual({
        wallet: ETH_A,
        keeper: undefined,
        until: NOW + 50,
        isDelegated: false,
      });
      expect((await situation(BOB, ETH_B)).hold?.keeper).toBeUndefined();
      expect(await links.linksOf(BOB)).toHaveLength(1);
      expect((await links.recordOf(BOB)).events).toHaveLength(1);
      expect(await store.keys.list('discord:2')).toHaveLength(1);
    });

    it('tells the choices of several accounts at once', async () => {
      const choice = { privacy: 'community', communities: ['7'] } as const;
      await links.setChoice(ALICE, choice, NOW);
      await links.setChoice(ALICE_ELSEWHERE, { privacy: 'public', communities: [] }, NOW);
      const asked = [ALICE.id, BOB.id];
      expect(await links.choicesOf('discord', asked)).toEqual(new Map([[ALICE.id, choice]]));
      expect(await links.choicesOf('discord', [])).toEqual(new Map());
    });

    it('nothing of it shows in the public data', async () => {
      const source = await store.openSource();
      await put(ALICE, ETH_A, { link: linkOf(ALICE, ETH_A) });
      await refreshed(store);
      expect((await source.reading().stats()).totalUsers).toBe(0);
      expect(await source.reading().reputation(ETH_A)).toBeUndefined();
      expect(source.recognise(ETH_A.address)).toBeUndefined();
    });
  });
}
