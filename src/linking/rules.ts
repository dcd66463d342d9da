import { formatTime, UserError } from '#base';
import { type Account, accountKey } from '#command';
import type { Wallet } from '#wallet';
import type { Claim, Link, LinkEvent, WalletReservation } from './link-records.ts';
import type { StoredProof } from './proving/proof.ts';

/**
 * Seconds until a claim is due. Long, because the holder only learns of it with their next command:
 * we never message users first.
 */
export const CLAIM_WAIT = 7 * 86_400;
/** Seconds a wallet stays reserved for its last account, so it can't be passed around for roles. */
export const HOLD_WAIT = 3 * 86_400;
/** Maximum wallets per account. */
export const LINKS_MAX = 10;

/** A wallet on one platform, and the account that acts on it. */
export interface WalletState {
  readonly link: Link | undefined;
  readonly claim: Claim | undefined;
  readonly hold: WalletReservation | undefined;
  /** Number of wallets the account has linked. */
  readonly linked: number;
  /** Wallets it has claimed, except this one. */
  readonly waiting: number;
  /** Wallets the account has linked with a signature: those that others can delegate to. */
  readonly signed: readonly Wallet[];
  /** Links by a delegation to this wallet, of the account that has linked it: they end with its link. */
  readonly vaults: readonly Link[];
}

/** Changes; missing fields stay, and null deletes. */
export interface LinkChanges {
  readonly link?: Link | null;
  readonly claim?: Claim | null;
  readonly hold?: WalletReservation | null;
  /** Links of other wallets that end with this one's, and are reserved. */
  readonly ended?: readonly WalletReservation[];
  readonly events: readonly LinkEvent[];
}

/** The outcome of a new proof. */
export type LinkOutcome =
  | { readonly kind: 'linked' }
  /** Already linked; only the proof's date changed. */
  | { readonly kind: 'renewed' }
  /** Another account's claim was dropped. */
  | { readonly kind: 'kept' }
  /** Linked to another account; a claim was started. */
  | { readonly kind: 'claimed'; readonly dueAt: number };

interface Decision {
  readonly outcome: LinkOutcome;
  readonly changes: LinkChanges;
}

/**
 * Decides what a new proof does.
 * @throws UserError `wallet-claimed`, `wallet-held`, `wallet-kept`, `wallet-limit`
 */
export function decideProof(
  situation: WalletState,
  account: Account,
  proof: StoredProof,
  now: number,
): Decision {
  const { link, claim, hold, linked, waiting } = situation;
  const { wallet } = proof;
  const fresh: Link = { account, wallet, proof, linkedAt: now, checkedAt: now, strikes: 0 };
  const event = (name: LinkEvent['event']) => ({ at: now, account, event: name, wallet });
  if (link !== undefined && isSame(link.account, account)) {
    const renewed = { ...fresh, linkedAt: link.linkedAt };
    if (claim === undefined) {
      return { outcome: { kind: 'renewed' }, changes: { link: renewed, events: [] } };
    }
    // The claimant must not be able to restart the claim repeatedly.
    const until = now + HOLD_WAIT;
    const held: WalletReservation = { wallet, keeper: account, until, isDelegated: false };
    return {
      outcome: { kind: 'kept' },
      changes: { link: renewed, claim: null, hold: held, events: [event('kept')] },
    };
  }
  // A claim succeeds without asking again.
  if (linked + waiting >= LINKS_MAX) throw full();
  if (link?.proof.by === 'delegation') {
    // The wallet it delegated to can't keep its owner waiting.
    const lost: LinkEvent = { at: now, account: link.account, event: 'lost', wallet };
    return {
      outcome: { kind: 'linked' },
      changes: { link: fresh, claim: null, hold: null, events: [event('linked'), lost] },
    };
  }
  // One from the future is from a clock that has been set back since: it might be due in years.
  if (claim !== undefined && claim.claimedAt <= now) {
    // The first claim stays: a third account must not postpone it.
    if (!isSame(claim.account, account)) throw claimed(claim.dueAt);
    return { outcome: { kind: 'claimed', dueAt: claim.dueAt }, changes: { events: [] } };
  }
  if (hold?.isDelegated !== true) requireNotHeld(hold, link, account, now);
  if (link === undefined) {
    return {
      outcome: { kind: 'linked' },
      changes: { link: fresh, claim: null, hold: null, events: [event('linked')] },
    };
  }
  const dueAt = now + CLAIM_WAIT;
  return {
    outcome: { kind: 'claimed', dueAt },
    changes: {
      claim: { account, wallet, proof, claimedAt: now, dueAt },
      events: [event('claimed')],
    },
  };
}

/**
 * Decides what a delegation to a linked wallet does. It never takes from an account whose wallet signed.
 * @param proof its evidence is the address of the delegate
 * @throws UserError `delegate-not-linked`, `vault-signed`, `vault-taken`, `wallet-held`,
 *   `wallet-limit`
 */
export function decideDelegation(
  { link, claim, hold, linked, waiting, signed }: WalletState,
  account: Account,
  proof: StoredProof,
  now: number,
): Decision {
  const { wallet, evidence } = proof;
  if (!signed.some(({ address }) => address === evidence)) {
    throw new UserError(
      'delegate-not-linked',
      'The wallet that it delegated to is no longer linked with a signature. Link that one first.',
    );
  }
  const fresh: Link = { account, wallet, proof, linkedAt: now, checkedAt: now, strikes: 0 };
  if (link !== undefined && isSame(link.account, account)) {
    if (link.proof.by !== 'delegation') {
      throw new UserError(
        'vault-signed',
        "You've already linked this wallet with a signature, and a delegation changes nothing about that.",
      );
    }
    const renewed = { ...fresh, linkedAt: link.linkedAt };
    return { outcome: { kind: 'renewed' }, changes: { link: renewed, events: [] } };
  }
  if (link !== undefined || claim !== undefined) {
    throw new UserError(
      'vault-taken',
      'Another account has linked or proved this wallet, and a delegation takes nothing from anyone. Sign with the wallet itself instead: type /link and its address.',
    );
  }
  if (linked + waiting >= LINKS_MAX) throw full();
  // What a signature left must last: the next signature would take the wallet from a delegation at once.
  if (hold?.isDelegated === false && hold.until > now) throw held(hold.until);
  requireNotHeld(hold, link, account, now);
  return {
    outcome: { kind: 'linked' },
    changes: { link: fresh, hold: null, events: [{ at: now, account, event: 'linked', wallet }] },
  };
}

export function isLinkedBy({ link }: WalletState, account: Account): boolean {
  return link !== undefined && isSame(link.account, account);
}

/** @throws UserError `wallet-not-linked` */
export function decideUnlink(situation: WalletState, account: Account, now: number): LinkChanges {
  const { link, claim } = situation;
  if (claim !== undefined && isSame(claim.account, account)) {
    return { claim: null, events: [] };
  }
  if (link === undefined || !isSame(link.account, account)) {
    throw new UserError(
      'wallet-not-linked',
      "You haven't linked this wallet. /wallets shows the ones you have.",
    );
  }
  return leave(situation, link, { at: now, name: 'unlinked' });
}

/** After this many negative checks, the link is treated as unlinked. */
export function decideProofLost(situation: WalletState, checked: Link, now: number): LinkChanges {
  const { link } = situation;
  const same = link !== undefined && isSame(link.account, checked.account);
  return same && link.proof.text === checked.proof.text
    ? leave(situation, link, { at: now, name: 'lapsed' })
    : { events: [] };
}

/** A claim is due: the wallet moves, unless the account has reached its limit. */
export function decideDueClaim(
  { link, claim, linked, vaults }: WalletState,
  due: Claim,
  now: number,
): LinkChanges {
  if (claim === undefined || claim.dueAt > now || !isSame(claim.account, due.account)) {
    return { events: [] };
  }
  const { account, wallet, proof } = claim;
  // Only if an earlier version let it claim too many.
  if (linked >= LINKS_MAX) return { claim: null, events: [] };
  const events: LinkEvent[] = [{ at: now, account, event: 'moved', wallet }];
  if (link !== undefined) events.push({ at: now, account: link.account, event: 'lost', wallet });
  const moved: Link = { account, wallet, proof, linkedAt: now, checkedAt: now, strikes: 0 };
  const left = endVaults(vaults, now);
  return { link: moved, claim: null, hold: null, ...left, events: [...events, ...left.events] };
}

/** What was linked by a delegation to a wallet goes with that wallet's own link. */
function endVaults(
  vaults: readonly Link[],
  at: number,
): Required<Pick<LinkChanges, 'ended' | 'events'>> {
  return {
    ended: vaults.map(({ wallet, account }) => ({
      ...{ wallet, keeper: account, until: at + HOLD_WAIT, isDelegated: true },
    })),
    events: vaults.map(({ wallet, account }) => ({ at, account, event: 'lapsed', wallet })),
  };
}

/**
 * Nobody can object to the claim anymore, so it's due as soon as anyone who proved the wallet then
 * could have linked it: three days after that proof, but no later than before.
 */
function leave(
  { claim, vaults }: WalletState,
  { account, wallet, proof }: Link,
  { at, name }: { readonly at: number; readonly name: 'unlinked' | 'lapsed' },
): LinkChanges {
  const isDelegated = proof.by === 'delegation';
  const hold: WalletReservation = { wallet, keeper: account, until: at + HOLD_WAIT, isDelegated };
  const { ended, events } = endVaults(vaults, at);
  const left: LinkChanges = {
    ...{ link: null, hold, ended },
    events: [{ at, account, event: name, wallet }, ...events],
  };
  if (claim === undefined) return left;
  const dueAt = Math.min(claim.dueAt, Math.max(at, claim.claimedAt + HOLD_WAIT));
  return { ...left, claim: { ...claim, dueAt } };
}

function requireNotHeld(
  hold: WalletReservation | undefined,
  link: Link | undefined,
  account: Account,
  now: number,
): void {
  if (hold === undefined || hold.until <= now) return;
  if (hold.keeper !== undefined && isSame(hold.keeper, account)) return;
  throw link === undefined ? held(hold.until) : kept(hold.until);
}

function full(): UserError {
  return new UserError(
    'wallet-limit',
    `You've linked or claimed ${LINKS_MAX} wallets, the maximum. Unlink one first with /unlink.`,
  );
}

function claimed(dueAt: number): UserError {
  const moment = momentOf(dueAt);
  return new UserError(
    'wallet-claimed',
    `Another account has also proved this wallet and gets it on ${moment}. Try again after that.`,
    [],
    { values: [moment] },
  );
}

function held(until: number): UserError {
  const moment = momentOf(until);
  return new UserError(
    'wallet-held',
    `This wallet was unlinked recently and is still reserved. You can link it from ${moment}.`,
    [],
    { values: [moment] },
  );
}

function kept(until: number): UserError {
  const moment = momentOf(until);
  return new UserError(
    'wallet-kept',
    `The account that has linked this wallet proved it again. You can claim it from ${moment}.`,
    [],
    { values: [moment] },
  );
}

/** `2026-11-22 14:05 UTC`, rounded up, in a format everyone can read. */
function momentOf(time: number): string {
  const minute = formatTime(Math.ceil(time / 60) * 60);
  return `${minute.slice(0, 10)} ${minute.slice(11, 16)} UTC`;
}

function isSame(a: Account, b: Account): boolean {
  return accountKey(a) === accountKey(b);
}
