import { RetryableError, UserError } from '#core/errors';
import type { Account, Profile } from '#core/links/account';
import { type Challenger, type CheckedProof, hexOf, nothingToProve } from '#core/links/challenger';
import type { KeptProof, ProofCaveat } from '#core/links/proof';
import type { LinkRequest, RequestWay } from '#core/links/requests';
import {
  HEARD_SECONDS,
  type RequestKey,
  retryProof,
  settledRefusal,
} from '#core/links/retry-proof';
import { decideProof, type LinkOutcome } from '#core/links/rules';
import type { LinkStore } from '#core/links/store';
import { UncheckedProof } from '#core/links/unchecked-proof';
import { countHere, type RateCounter, type RateCounterMaker } from '#core/rate-window';
import type { Wallet } from '#core/wallet';

/** Seconds in which a one-time address must be opened and the wallet found. */
const REQUEST_SECONDS = 600;
const CHALLENGES = 6;
const TICKET_BYTES = 16;
const HOUR_MS = 3_600_000;
/** New requests and handed in signatures of one account in an hour. */
const TRIES_AN_HOUR = 30;
const MAX_ACCOUNTS = 50_000;
/** Names of this machine, which mean another one to everybody else. */
const LOCAL = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/;

export interface LinkingOptions {
  readonly store: LinkStore;
  readonly challenger: Challenger;
  /** Where the page is, as others see it. */
  readonly pageUrl: () => string;
  readonly random: (bytes: number) => Uint8Array;
  /** SHA-256, in hex. */
  readonly hash: (text: string) => string;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  /** Told of every account whose linked wallets have changed. */
  readonly onChange: (account: Account) => void;
  /** Told of every request whose signature is to be tried again by `retry`, in so many seconds. */
  readonly onUnchecked: (key: RequestKey, seconds: number) => void;
  /** Where tries are counted; in this process alone when not given. */
  readonly counters?: RateCounterMaker | undefined;
}

/** What a proof led to, for the chat to tell. */
export interface Linked {
  readonly wallet: Wallet;
  readonly outcome: LinkOutcome;
}

/** A wallet has signed on the page, and its code is waited for. */
export interface ExpectedCode {
  readonly wallet: Wallet;
  readonly expiresAt: number;
  /** Why the page has no code yet: what was signed can't be checked now, or was while it was closed. */
  readonly missing?: 'unchecked' | 'unseen';
}

/** A way without a page: what to sign. */
export interface HandChallenge {
  readonly wallet: Wallet;
  readonly text: string;
  readonly caveat: ProofCaveat | undefined;
  /** In base64; undefined where the chain has none. */
  readonly transaction: string | undefined;
  readonly expiresAt: number;
}

/** The chat's side of linking a wallet. */
export class Linking {
  readonly #options: LinkingOptions;
  readonly #tries: RateCounter;

  constructor(options: LinkingOptions) {
    this.#options = options;
    const { counters = countHere } = options;
    this.#tries = counters('link-tries', { length: HOUR_MS, maxClients: MAX_ACCOUNTS });
  }

  get pageHost(): string {
    return new URL(this.#options.pageUrl()).host;
  }

  get isPageLocal(): boolean {
    return LOCAL.test(new URL(this.#options.pageUrl()).hostname);
  }

  /** Whether a text is a seed phrase or a private key. */
  isSecret(text: string): Promise<boolean> {
    return this.#options.challenger.isSecret(text);
  }

  /**
   * Makes a one-time address of the page. What it carries stands behind `#`, so that no server and
   * no previewer is ever sent it.
   * @param isAnew whether a wallet that has been proved and waits for its code is given up
   * @throws UserError `link-tries`; RetryableError when one has just been proved
   */
  async begin(account: Profile, isAnew = false): Promise<{ url: string; expiresAt: number }> {
    const { store, random, hash, pageUrl } = this.#options;
    await this.#count(account);
    if (isAnew) await this.#giveUp(account);
    else await this.#dropUnproved(account);
    const ticket = hexOf(random(TICKET_BYTES));
    const request = { ...this.#request(account, 'page'), ticket: hash(ticket) };
    await store.putRequest(request);
    return { url: `${pageUrl()}#${ticket}`, expiresAt: request.expiresAt };
  }

  /**
   * What waits for its code. A signature that could not be checked is tried again first.
   * @returns undefined where no wallet does
   * @throws UserError a ProofErrorCode, once: why what was signed on the page was refused meanwhile
   */
  async codeExpected(account: Account): Promise<ExpectedCode | undefined> {
    const { store, now, onUnchecked } = this.#options;
    const key: RequestKey = { account, way: 'page' };
    const seconds = await this.retry(key);
    if (seconds !== undefined) onUnchecked(key, seconds);
    const request = await store.findRequest(key, now());
    if (request === undefined) return undefined;
    const refusal = settledRefusal(request);
    if (refusal !== undefined) {
      await store.dropRequest(request);
      throw refusal;
    }
    return expectedOf(request, now());
  }

  /**
   * Makes a text to be signed anywhere.
   * @throws UserError `link-tries`, `invalid-address`, `wallet-unusable`; UncheckedProof while an
   *   earlier signature is still being checked, which this would drop
   */
  async beginByHand(account: Account, address: string): Promise<HandChallenge> {
    const { store, challenger, now } = this.#options;
    await this.#count(account);
    const before = await store.findRequest({ account, way: 'chat' }, now());
    if (before?.pending !== undefined && before.pending.until > now()) {
      throw new UncheckedProof(before.pending, { now: now() });
    }
    const made = await challenger.make(account, address, now());
    const { wallet, text, nonce, issuedAt, expiresAt, caveat, transaction } = made;
    const { platform, id } = account;
    const request = this.#request({ platform, id }, 'chat');
    await store.putRequest({ ...request, challenge: { wallet, text, nonce, issuedAt, expiresAt } });
    return { wallet, text, expiresAt, caveat, transaction: transaction?.toBase64() };
  }

  /**
   * Takes a signature of the text that the account was given last.
   * @throws UserError `link-tries`, `link-nothing`, a ProofErrorCode; as `decideProof`;
   *   UncheckedProof: it is kept and tried again, here and by `resume`
   */
  async handIn(account: Account, signature: string): Promise<Linked> {
    const { store, challenger, now } = this.#options;
    // Before all else: whoever pasted a secret must hear of it.
    await challenger.requireNoSecret(signature);
    await this.#count(account);
    const found = await store.findRequest({ account, way: 'chat' }, now());
    if (found === undefined) throw nothingToProve();
    const submission = { form: undefined, signature };
    return await this.#finish(account, () => challenger.check(found, submission, now()));
  }

  /**
   * Goes on with a signature that could not be checked when it was handed in, or tells what has come
   * of it since.
   * @returns undefined where there is none
   * @throws as `handIn`
   */
  async resume(account: Account): Promise<Linked | undefined> {
    const { store, challenger, now } = this.#options;
    const found = await store.findRequest({ account, way: 'chat' }, now());
    if (found?.settled !== undefined) {
      await store.dropRequest(found);
      if ('outcome' in found.settled) return found.settled;
      throw settledRefusal(found);
    }
    if (found?.pending === undefined) return undefined;
    return await this.#finish(account, () => challenger.recheck(found, now()));
  }

  /**
   * Tries a signature again that could not be checked, and keeps what comes of it: for the page, which
   * alone can make a code of it and may be closed, or without a page for `resume`.
   * @returns seconds until it is to be tried once more; undefined when it is settled
   */
  async retry(key: RequestKey): Promise<number | undefined> {
    const { store, now } = this.#options;
    return await retryProof(this.#options, key, async ({ proof, request }) => {
      const until = now() + HEARD_SECONDS;
      const expiresAt = Math.max(request.expiresAt, until);
      const came =
        key.way === 'page'
          ? { checked: { proof, until } }
          : { settled: await this.#link(key.account, proof) };
      await store.changeRequest({ ...request, ...came, expiresAt });
    });
  }

  /**
   * Takes the code that the page showed after the wallet had signed.
   * @throws UserError `code-wrong`, `code-unexpected`, `code-tries`; as `decideProof`, which ends the request
   */
  async confirm(account: Account, code: string): Promise<Linked> {
    const { store, hash, now } = this.#options;
    const request = await store.findRequest({ account, way: 'page' }, now());
    const proved = request?.proved;
    if (request === undefined || proved === undefined || proved.expiresAt <= now()) {
      throw new UserError(
        'code-unexpected',
        'No code is expected right now. Type /link, sign on the page that opens, and type its code here.',
      );
    }
    // A try is used up before it is looked at: many at the same time must not count as one.
    const triesLeft = proved.triesLeft - 1;
    const tried = { ...request, proved: { ...proved, triesLeft } };
    if (triesLeft < 0 || !(await store.changeRequest(tried))) throw wrongCode();
    const current = { ...tried, version: tried.version + 1 };
    if (hash(request.id + code) !== proved.code) {
      if (triesLeft > 0) throw wrongCode();
      await store.dropRequest(current);
      throw new UserError('code-tries', 'Too many wrong codes. Type /link to start again.');
    }
    return await this.#settle(account, proved.proof, current);
  }

  /** Links what is proved; what can't be checked now is tried again. */
  async #finish(account: Account, check: () => Promise<CheckedProof>): Promise<Linked> {
    const { onUnchecked } = this.#options;
    try {
      const { proof, request } = await check();
      return await this.#settle(account, proof, request);
    } catch (error) {
      if (error instanceof RetryableError) onUnchecked({ account, way: 'chat' }, error.retryAfter);
      throw error;
    }
  }

  /** Links, and drops the request: only then, for were the store away the same code would still do. */
  async #settle(account: Account, proof: KeptProof, request: LinkRequest): Promise<Linked> {
    const { store } = this.#options;
    const linked = await this.#link(account, proof).catch(async (error: unknown) => {
      if (error instanceof UserError) await store.dropRequest(request);
      throw error;
    });
    await store.dropRequest(request);
    return linked;
  }

  /** Drops what the account has begun without the page. */
  async #giveUp(account: Account): Promise<void> {
    const { store, now } = this.#options;
    const request = await store.findRequest({ account, way: 'chat' }, now());
    if (request !== undefined) await store.dropRequest(request);
  }

  /** Drops what the account has begun on the page, as it was read: what is proved meanwhile stays. */
  async #dropUnproved(account: Account): Promise<void> {
    const { store, now } = this.#options;
    const request = await store.findRequest({ account, way: 'page' }, now());
    if (request === undefined) return;
    const expected = expectedOf(request, now());
    if (expected === undefined && (await store.dropRequest(request))) return;
    throw new RetryableError('The page is working on this request.', { retryAfter: 1 });
  }

  async #link(account: Account, proof: KeptProof): Promise<Linked> {
    const { store, now } = this.#options;
    let outcome: LinkOutcome | undefined;
    await store.change(proof.wallet, account, (situation) => {
      const decision = decideProof(situation, account, proof, now());
      outcome = decision.outcome;
      return decision.changes;
    });
    if (outcome === undefined) throw new Error('bug: the store made no decision');
    this.#options.onChange(account);
    return { wallet: proof.wallet, outcome };
  }

  #request({ platform, id, name, username, avatar }: Profile, way: RequestWay): LinkRequest {
    const { random, now } = this.#options;
    const createdAt = now();
    return {
      id: hexOf(random(TICKET_BYTES)),
      version: 0,
      account: { platform, id, name, username, avatar },
      way,
      createdAt,
      expiresAt: createdAt + REQUEST_SECONDS,
      ticket: undefined,
      session: undefined,
      challengesLeft: CHALLENGES,
      challenge: undefined,
      proved: undefined,
    };
  }

  async #count({ platform, id }: Account): Promise<void> {
    const { count } = await this.#tries.count(`${platform}:${id}`, this.#options.monotonic());
    if (count > TRIES_AN_HOUR) {
      throw new UserError('link-tries', 'Too many attempts. Wait a while, then type /link again.');
    }
  }
}

function expectedOf(
  { proved, checked, pending }: LinkRequest,
  now: number,
): ExpectedCode | undefined {
  if (proved !== undefined && proved.expiresAt > now) {
    return { wallet: proved.proof.wallet, expiresAt: proved.expiresAt };
  }
  if (checked !== undefined && checked.until > now) {
    return { wallet: checked.proof.wallet, expiresAt: checked.until, missing: 'unseen' };
  }
  if (pending === undefined || pending.until <= now) return undefined;
  return { wallet: pending.wallet, expiresAt: pending.until, missing: 'unchecked' };
}

function wrongCode(): UserError {
  return new UserError('code-wrong', "That's not the code on the page. Check it and try again.");
}
