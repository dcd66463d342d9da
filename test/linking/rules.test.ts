import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import type { Account } from '#command/account';
import type { Claim, Link, WalletReservation } from '#linking/link-records';
import type { StoredProof } from '#linking/proving/proof';
import {
  CLAIM_WAIT,
  decideDueClaim,
  decideProof,
  decideProofLost,
  decideUnlink,
  HOLD_WAIT,
  LINKS_MAX,
  type LinkChanges,
  type WalletState,
} from '#linking/rules';
import { ETH_A } from '../support/ledger.ts';
import { thrownCode } from '../support/thrown-code.ts';

const ALICE: Account = { platform: 'discord', id: '1' };
const BOB: Account = { platform: 'discord', id: '2' };
const CAROL: Account = { platform: 'discord', id: '3' };
const NOW = 1_800_000_000;
const PROOF: StoredProof = {
  wallet: ETH_A,
  by: 'key',
  network: 'eip155:1',
  evidence: undefined,
  text: 'signed',
};

const linkOf = (account: Account): Link => ({
  account,
  wallet: ETH_A,
  proof: PROOF,
  linkedAt: NOW - 100,
  checkedAt: NOW - 100,
  strikes: 0,
});
const claimOf = (account: Account, dueAt = NOW + 50): Claim => ({
  account,
  wallet: ETH_A,
  proof: PROOF,
  claimedAt: NOW - 10,
  dueAt,
});
const holdOf = (keeper: Account | undefined, until = NOW + 50): WalletReservation => ({
  wallet: ETH_A,
  keeper,
  until,
  isDelegated: false,
});
const situation = (change: Partial<WalletState> = {}): WalletState => ({
  link: undefined,
  claim: undefined,
  hold: undefined,
  linked: 0,
  waiting: 0,
  signed: [],
  vaults: [],
  ...change,
});
const prove = (given: Partial<WalletState>, account = BOB) =>
  decideProof(situation(given), account, PROOF, NOW);
describe('a fresh proof', () => {
  it('of a free wallet links it', () => {
    const { outcome, changes } = prove({});
    expect(outcome).toEqual({ kind: 'linked' });
    expect(changes.link).toMatchObject({ account: BOB, linkedAt: NOW, checkedAt: NOW });
    expect(changes.events.map(({ event }) => event)).toEqual(['linked']);
  });

  it('of one’s own wallet renews it and keeps the day it was linked', () => {
    const { outcome, changes } = prove({ link: linkOf(BOB), linked: LINKS_MAX });
    expect(outcome).toEqual({ kind: 'renewed' });
    expect(changes.link).toMatchObject({ account: BOB, linkedAt: NOW - 100, checkedAt: NOW });
  });

  it('of another’s wallet removes nothing: it starts the waiting period', () => {
    const { outcome, changes } = prove({ link: linkOf(ALICE) });
    expect(outcome).toEqual({ kind: 'claimed', dueAt: NOW + CLAIM_WAIT });
    expect(changes.link).toBeUndefined();
    expect(changes.claim).toMatchObject({ account: BOB, dueAt: NOW + CLAIM_WAIT });
  });

  it('during the waiting period neither shortens nor extends it', () => {
    const { outcome, changes } = prove({ link: linkOf(ALICE), claim: claimOf(BOB) });
    expect(outcome).toEqual({ kind: 'claimed', dueAt: NOW + 50 });
    expect(changes).toEqual({ events: [] });
  });

  it('by a third account does not replace a waiting claim', () => {
    expect(thrownCode(() => prove({ link: linkOf(ALICE), claim: claimOf(CAROL) }))).toBe(
      'wallet-claimed',
    );
    expect(thrownCode(() => prove({ claim: claimOf(CAROL) }))).toBe('wallet-claimed');
  });

  it('replaces a claim that a clock since set back has dated', () => {
    const ahead = { ...claimOf(CAROL, NOW + 365 * 86_400), claimedAt: NOW + 364 * 86_400 };
    const { outcome, changes } = prove({ link: linkOf(ALICE), claim: ahead });
    expect(outcome).toEqual({ kind: 'claimed', dueAt: NOW + CLAIM_WAIT });
    expect(changes.claim).toMatchObject({ account: BOB, claimedAt: NOW });
    const unlinked = prove({ claim: ahead });
    expect(unlinked.outcome.kind).toBe('linked');
    expect(unlinked.changes.claim).toBeNull();
  });

  it('by the holder ends the claim, and the claimant cannot start over immediately', () => {
    const { outcome, changes } = prove({ link: linkOf(BOB), claim: claimOf(CAROL) });
    expect(outcome).toEqual({ kind: 'kept' });
    expect(changes.claim).toBeNull();
    expect(changes.hold).toEqual(holdOf(BOB, NOW + HOLD_WAIT));
    const hold = holdOf(BOB, NOW + HOLD_WAIT);
    expect(thrownCode(() => prove({ link: linkOf(BOB), hold }, CAROL))).toBe('wallet-kept');
  });

  it.each([
    ['its last account', holdOf(BOB), undefined],
    ['another account', holdOf(ALICE), 'wallet-held'],
    ['anybody, where it was erased', holdOf(undefined), 'wallet-held'],
    ['anybody once the time is over', holdOf(ALICE, NOW), undefined],
  ])('of a wallet that was unlinked lately, by %s', (_, hold, code) => {
    expect(thrownCode(() => prove({ hold }))).toBe(code);
  });

  it('is refused until a time that is never too early, rounded to the hour', () => {
    const until = (hold: WalletReservation) => {
      try {
        return prove({ hold });
      } catch (error) {
        return error instanceof UserError ? error.values : error;
      }
    };
    expect(until(holdOf(ALICE, NOW + 1))).toEqual(['2027-01-15 08:01 UTC']);
    expect(until(holdOf(ALICE, NOW + 60))).toEqual(['2027-01-15 08:01 UTC']);
    expect(until(holdOf(ALICE, NOW + 61))).toEqual(['2027-01-15 08:02 UTC']);
  });

  it('is refused to an account with the maximum number of wallets', () => {
    expect(thrownCode(() => prove({ linked: LINKS_MAX }))).toBe('wallet-limit');
    expect(thrownCode(() => prove({ linked: LINKS_MAX, link: linkOf(ALICE) }))).toBe(
      'wallet-limit',
    );
  });

  it('counts the wallets that an account has claimed, except this one', () => {
    const almost = { linked: LINKS_MAX - 3, waiting: 3 };
    expect(thrownCode(() => prove(almost))).toBe('wallet-limit');
    expect(thrownCode(() => prove({ ...almost, link: linkOf(ALICE) }))).toBe('wallet-limit');
    expect(prove({ ...almost, link: linkOf(BOB) }).outcome.kind).toBe('renewed');
    const waits = { linked: LINKS_MAX - 1, link: linkOf(ALICE), claim: claimOf(BOB) };
    expect(prove(waits).outcome.kind).toBe('claimed');
  });
});

describe('unlinking', () => {
  it('frees the wallet for its own account immediately, and for others later', () => {
    const changes = decideUnlink(situation({ link: linkOf(ALICE) }), ALICE, NOW);
    expect(changes.link).toBeNull();
    expect(changes.hold).toEqual(holdOf(ALICE, NOW + HOLD_WAIT));
    expect(changes.events.map(({ event }) => event)).toEqual(['unlinked']);
  });

  const DAY = 86_400;
  const left = (claimedAt: number) => {
    const claim = { ...claimOf(BOB, claimedAt + CLAIM_WAIT), claimedAt };
    return situation({ link: linkOf(ALICE), claim });
  };

  it.each([
    ['at once, if it was proved three days ago', NOW - 3 * DAY, NOW],
    ['at once, if it was proved longer ago', NOW - 5 * DAY, NOW],
    ['three days after it was proved, if that is to come', NOW - DAY, NOW + 2 * DAY],
    ['no later than before', NOW - 8 * DAY, NOW - DAY],
    ['no later than before, with a clock that was set back', NOW + 9 * DAY, NOW + 12 * DAY],
  ])('hands it to a claimant %s', (_, claimedAt, dueAt) => {
    const given = left(claimedAt);
    for (const changes of [
      decideUnlink(given, ALICE, NOW),
      decideProofLost(given, linkOf(ALICE), NOW),
    ]) {
      expect(changes).toMatchObject({ link: null, claim: { account: BOB, claimedAt, dueAt } });
    }
  });

  it('leaves it to the claimant, and to nobody before', () => {
    const claim = claimOf(BOB);
    expect(prove({ claim, hold: holdOf(ALICE) }).outcome).toEqual({
      kind: 'claimed',
      dueAt: NOW + 50,
    });
    expect(thrownCode(() => prove({ claim, hold: holdOf(ALICE) }, ALICE))).toBe('wallet-claimed');
  });

  it('drops the claim if the wallet is only claimed', () => {
    const given = situation({ link: linkOf(ALICE), claim: claimOf(BOB) });
    expect(decideUnlink(given, BOB, NOW)).toEqual({ claim: null, events: [] });
  });

  it('is refused for another’s wallet, and for one that nobody has', () => {
    expect(thrownCode(() => decideUnlink(situation(), BOB, NOW))).toBe('wallet-not-linked');
    const given = situation({ link: linkOf(ALICE) });
    expect(thrownCode(() => decideUnlink(given, BOB, NOW))).toBe('wallet-not-linked');
  });
});

describe('the passage of time', () => {
  it('moves a wallet whose claim is due, and notifies both accounts', () => {
    const claim = claimOf(BOB, NOW);
    const changes = decideDueClaim(situation({ link: linkOf(ALICE), claim }), claim, NOW);
    expect(changes).toMatchObject({ link: { account: BOB }, claim: null, hold: null });
    expect(changes.events.map(({ event, account }) => [event, account.id])).toEqual([
      ['moved', '2'],
      ['lost', '1'],
    ]);
  });

  it('ends a claim without moving the wallet if that would exceed the limit', () => {
    const given = situation({ link: linkOf(ALICE), claim: claimOf(BOB, NOW), linked: LINKS_MAX });
    expect(decideDueClaim(given, claimOf(BOB, NOW), NOW)).toEqual({ claim: null, events: [] });
  });

  it.each([
    ['not due yet', claimOf(BOB, NOW + 1)],
    ['gone', undefined],
    ['another one by now', claimOf(CAROL, NOW)],
  ])('a claim that is %s moves nothing', (_, claim) => {
    const given = situation({ link: linkOf(ALICE), claim });
    expect(decideDueClaim(given, claimOf(BOB, NOW), NOW)).toEqual({ events: [] });
  });

  it('removes a link whose proof lapsed, unless it was proved again', () => {
    const link = linkOf(ALICE);
    expect(decideProofLost(situation({ link }), link, NOW)).toMatchObject({ link: null });
    const renewed = { ...link, proof: { ...PROOF, text: 'newer' } };
    expect(decideProofLost(situation({ link: renewed }), link, NOW)).toEqual({ events: [] });
    expect(decideProofLost(situation({ link: linkOf(BOB) }), link, NOW)).toEqual({ events: [] });
  });
});

it('Linking keeps one account per wallet, which moves only after the wait, and never in circles', () => {
  const step = fc.record({
    who: fc.constantFrom(ALICE, BOB, CAROL),
    what: fc.constantFrom('prove', 'unlink', 'settle'),
    after: fc.integer({ min: 0, max: CLAIM_WAIT }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let state = situation();
      let now = NOW;
      let lastLeft: { who: string; at: number } | undefined;
      const proved = new Map<string, number>();
      for (const { who, what, after } of steps) {
        now += after;
        const before = state.link?.account.id;
        let changes: LinkChanges = { events: [] };
        try {
          if (what === 'prove') {
            changes = decideProof(state, who, PROOF, now).changes;
            if (!proved.has(who.id)) proved.set(who.id, now);
          } else if (what === 'unlink') changes = decideUnlink(state, who, now);
          else if (state.claim !== undefined) changes = decideDueClaim(state, state.claim, now);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
        state = {
          ...state,
          ...(changes.link !== undefined && { link: changes.link ?? undefined }),
          ...(changes.claim !== undefined && { claim: changes.claim ?? undefined }),
          ...(changes.hold !== undefined && { hold: changes.hold ?? undefined }),
        };
        const owner = state.link?.account.id;
        if (before !== undefined && owner === undefined) lastLeft = { who: before, at: now };
        if (owner !== undefined && owner !== before) {
          expect(proved.has(owner)).toBe(true);
          // At least three days pass before a wallet moves to another account.
          if (before !== undefined)
            expect(now - (proved.get(owner) ?? now)).toBeGreaterThanOrEqual(CLAIM_WAIT);
          else if (lastLeft !== undefined && lastLeft.who !== owner) {
            const since = Math.max(now - lastLeft.at, now - (proved.get(owner) ?? now));
            expect(since).toBeGreaterThanOrEqual(HOLD_WAIT);
          }
        }
      }
    }),
    { numRuns: 2_000 },
  );
});
