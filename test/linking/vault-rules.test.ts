import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import type { Account } from '#command/account';
import type { Claim, Link, WalletReservation } from '#linking/link-records';
import type { StoredProof } from '#linking/proving/proof';
import {
  CLAIM_WAIT,
  decideDelegation,
  decideDueClaim,
  decideProof,
  decideProofLost,
  decideUnlink,
  HOLD_WAIT,
  LINKS_MAX,
  type LinkChanges,
  type WalletState,
} from '#linking/rules';
import { ETH_A as HOT, ETH_B as VAULT } from '../support/ledger.ts';
import { thrownCode } from '../support/thrown-code.ts';

const ALICE: Account = { platform: 'discord', id: '1' };
const BOB: Account = { platform: 'discord', id: '2' };
const CAROL: Account = { platform: 'discord', id: '3' };
const NOW = 1_800_000_000;

const SIGNED: StoredProof = {
  wallet: VAULT,
  by: 'key',
  network: 'eip155:1',
  evidence: undefined,
  text: 'signed',
};
const DELEGATED: StoredProof = { ...SIGNED, by: 'delegation', evidence: HOT.address, text: 'read' };

const linkOf = (account: Account, proof = DELEGATED): Link => ({
  account,
  wallet: proof.wallet,
  proof,
  linkedAt: NOW - 100,
  checkedAt: NOW - 100,
  strikes: 0,
});
const claimOf = (account: Account): Claim => ({
  account,
  wallet: VAULT,
  proof: SIGNED,
  claimedAt: NOW - 10,
  dueAt: NOW + 50,
});
const holdOf = (keeper: Account | undefined, isDelegated = true): WalletReservation => ({
  wallet: VAULT,
  keeper,
  until: NOW + HOLD_WAIT,
  isDelegated,
});
const stateOf = (change: Partial<WalletState> = {}): WalletState => ({
  link: undefined,
  claim: undefined,
  hold: undefined,
  linked: 1,
  waiting: 0,
  signed: [HOT],
  vaults: [],
  ...change,
});
const delegate = (given: Partial<WalletState>, account = BOB) =>
  decideDelegation(stateOf(given), account, DELEGATED, NOW);
describe('a delegation', () => {
  it('links a free wallet, if the wallet it delegates to was linked with a signature', () => {
    const { outcome, changes } = delegate({});
    expect(outcome).toEqual({ kind: 'linked' });
    expect(changes.link).toMatchObject({ account: BOB, proof: DELEGATED, linkedAt: NOW });
    expect(thrownCode(() => delegate({ signed: [] }))).toBe('delegate-not-linked');
    expect(thrownCode(() => delegate({ signed: [VAULT] }))).toBe('delegate-not-linked');
  });

  it.each([
    ['signed for by another account', { link: linkOf(ALICE, SIGNED) }],
    ['delegated to another account', { link: linkOf(ALICE) }],
    ['claimed by another account', { claim: claimOf(ALICE) }],
    ['claimed by the same account', { link: linkOf(ALICE, SIGNED), claim: claimOf(BOB) }],
  ])('takes nothing from whoever was first: a wallet %s', (_, given) => {
    expect(thrownCode(() => delegate(given))).toBe('vault-taken');
  });

  it('never replaces the signature of the same account, nor ends a claim', () => {
    const link = linkOf(BOB, SIGNED);
    expect(thrownCode(() => delegate({ link }))).toBe('vault-signed');
    expect(thrownCode(() => delegate({ link, claim: claimOf(ALICE) }))).toBe('vault-signed');
  });

  it('renews an earlier one of the same account', () => {
    const { outcome, changes } = delegate({ link: { ...linkOf(BOB), strikes: 2 } });
    expect(outcome.kind).toBe('renewed');
    expect(changes.link).toMatchObject({ strikes: 0, linkedAt: NOW - 100, checkedAt: NOW });
  });

  it('waits for reservations, and counts towards the limit', () => {
    expect(thrownCode(() => delegate({ hold: holdOf(ALICE) }))).toBe('wallet-held');
    expect(thrownCode(() => delegate({ hold: holdOf(undefined, false) }))).toBe('wallet-held');
    expect(delegate({ hold: holdOf(BOB) }).outcome.kind).toBe('linked');
    // Else those who share a key could pass it around without waiting.
    expect(thrownCode(() => delegate({ hold: holdOf(BOB, false) }))).toBe('wallet-held');
    const over = { ...holdOf(BOB, false), until: NOW };
    expect(delegate({ hold: over }).outcome.kind).toBe('linked');
    expect(thrownCode(() => delegate({ linked: LINKS_MAX }))).toBe('wallet-limit');
    expect(thrownCode(() => delegate({ linked: LINKS_MAX - 1, waiting: 1 }))).toBe('wallet-limit');
  });
});

describe("an owner's signature", () => {
  const sign = (given: Partial<WalletState>, account = BOB) =>
    decideProof(stateOf(given), account, SIGNED, NOW);

  it('takes a delegated wallet at once, and notifies the account that had it', () => {
    const { outcome, changes } = sign({ link: linkOf(ALICE) });
    expect(outcome).toEqual({ kind: 'linked' });
    expect(changes).toMatchObject({ link: { account: BOB, proof: SIGNED }, hold: null });
    expect(changes.events.map(({ event, account }) => [event, account.id])).toEqual([
      ['linked', '2'],
      ['lost', '1'],
    ]);
  });

  it('replaces the delegation of the same account', () => {
    const { outcome, changes } = sign({ link: linkOf(BOB) });
    expect(outcome.kind).toBe('renewed');
    expect(changes.link).toMatchObject({ proof: SIGNED, linkedAt: NOW - 100 });
  });

  it('overrides the reservation that a delegation left, and no other', () => {
    expect(sign({ hold: holdOf(ALICE) }).outcome.kind).toBe('linked');
    expect(sign({ hold: holdOf(undefined) }).outcome.kind).toBe('linked');
    expect(thrownCode(() => sign({ hold: holdOf(ALICE, false) }))).toBe('wallet-held');
  });
});

describe('a vault goes with the wallet that it delegated to', () => {
  const hot = linkOf(ALICE, { ...SIGNED, wallet: HOT });
  const state = stateOf({ link: hot, vaults: [linkOf(ALICE)] });
  const claim = { ...claimOf(BOB), wallet: HOT, dueAt: NOW };

  it.each([
    ['unlinked', () => decideUnlink(state, ALICE, NOW)],
    ['proved by another account', () => decideDueClaim({ ...state, claim }, claim, NOW)],
    ['no longer proved', () => decideProofLost(state, hot, NOW)],
  ])('that is %s', (_, decide) => {
    const { ended, events } = decide();
    expect(ended).toEqual([holdOf(ALICE)]);
    expect(events.at(-1)).toEqual({ at: NOW, account: ALICE, event: 'lapsed', wallet: VAULT });
  });

  it('but not with one whose account only proves it again', () => {
    const { changes } = decideProof(state, ALICE, hot.proof, NOW);
    expect(changes.ended).toBeUndefined();
  });
});

it('a delegation never robs a signer, and a signer never waits for a delegation', () => {
  const step = fc.record({
    who: fc.constantFrom(ALICE, BOB, CAROL),
    what: fc.constantFrom('sign', 'delegate', 'unlink', 'revoke', 'settle'),
    after: fc.integer({ min: 0, max: CLAIM_WAIT }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let state = stateOf();
      let now = NOW;
      for (const { who, what, after } of steps) {
        now += after;
        const { link: before, claim } = state;
        let changes: LinkChanges = { events: [] };
        let refusal: unknown;
        try {
          if (what === 'sign') changes = decideProof(state, who, SIGNED, now).changes;
          else if (what === 'delegate') {
            changes = decideDelegation(state, who, DELEGATED, now).changes;
          } else if (what === 'unlink') changes = decideUnlink(state, who, now);
          else if (what === 'revoke') {
            const isDelegated = before?.proof.by === 'delegation';
            if (isDelegated) changes = decideProofLost(state, before, now);
          } else if (claim !== undefined) changes = decideDueClaim(state, claim, now);
        } catch (error) {
          refusal = error;
          expect(error).toBeInstanceOf(UserError);
        }
        state = {
          ...state,
          ...(changes.link !== undefined && { link: changes.link ?? undefined }),
          ...(changes.claim !== undefined && { claim: changes.claim ?? undefined }),
          ...(changes.hold !== undefined && { hold: changes.hold ?? undefined }),
        };
        const { link } = state;
        if (what === 'delegate' && before?.proof.by === 'key') {
          // Nothing about a signed link changes, not even for its own account.
          expect(link).toBe(before);
        }
        if (what === 'sign' && before?.proof.by === 'delegation') {
          expect(refusal).toBeUndefined();
          expect(link).toMatchObject({ account: who, proof: SIGNED });
        }
        if (what === 'sign' && refusal !== undefined) {
          // Only a signature makes a signature wait.
          expect(claim !== undefined || state.hold?.isDelegated === false).toBe(true);
        }
      }
    }),
    { numRuns: 2_000 },
  );
});
