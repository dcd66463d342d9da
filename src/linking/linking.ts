import {
  base64Text,
  countLocally,
  hexText,
  type RateCounter,
  type RateCounterMaker,
  RetryableError,
  UserError,
} from '#base';
import type { Account } from '#command';
import type { Wallet } from '#wallet';
import {
  type Challenger,
  type CheckedProof,
  type FreshChallenge,
  nothingToProve,
} from './challenge/challenger.ts';
import { type ExpectedCode, expectedOf } from './challenge/expected-code.ts';
import type { Applicant, LinkRequest, RequestWay } from './challenge/requests.ts';
import { isForSeveral } from './challenge/shared-text.ts';
import { handInLatest } from './proving/overtaken.ts';
import type { ProofCaveat, StoredProof } from './proving/proof.ts';
import {
  forgetRefusal,
  OUTCOME_KEPT_SECONDS,
  type RequestKey,
  retryProof,
  settledRefusal,
  takeOutcome,
} from './proving/proof-retries.ts';
import { stillTried, UncheckedProof } from './proving/unchecked-proof.ts';
import { decideProof, type LinkOutcome } from './rules.ts';
import type { LinkStore } from './store.ts';
import { Vaults } from './vaults.ts';

/** Seconds to open a one-time link and choose a wallet. */
const REQUEST_SECONDS = 600;
const CHALLENGES = 6;
const TICKET_BYTES = 16;
const HOUR_MS = 3_600_000;
/** New requests and submitted signatures per account and hour. */
const TRIES_AN_HOUR = 30;
const MAX_ACCOUNTS = 50_000;
/** Host names for this machine, which mean another one to everyone else. */
const LOCAL = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/;

export interface LinkingOptions {
  readonly store: LinkStore;
  readonly challenger: Challenger;
  /** The page's public URL. */
  readonly pageUrl: () => string;
  readonly random: (bytes: number) => Uint8Array;
  /** SHA-256, in hex. */
  readonly hash: (text: string) => string;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
  /** Whether there is an Ethereum node to look delegations up. */
  readonly readsVaults: boolean;
  /** Called for every account whose linked wallets changed. */
  readonly onChange: (account: Account) => void;
  /** Called for every request whose signature `retry` should check again, in this many seconds. */
  readonly onUnchecked: (key: RequestKey, seconds: number) => void;
  /** Counts attempts, by default only in this process. */
  readonly counters?: RateCounterMaker | undefined;
}

/** The outcome of a proof, for the chat. */
export interface Linked {
  readonly wallet: Wallet;
  readonly outcome: LinkOutcome;
}

/** Linking without the page: the text to sign. */
export interface HandChallenge {
  readonly wallet: Wallet;
  readonly text: string;
  readonly caveat: ProofCaveat | undefined;
  /** Whether several people may have to sign it, for which they have a day. */
  readonly isForSeveral: boolean;
  /** Until when what was signed of it is tried again, if it can't be checked yet. */
  readonly uncheckedUntil: number | undefined;
  /** In base64; undefined if the chain has none. */
  readonly transaction: string | undefined;
  readonly expiresAt: number;
}

/** The chat's side of linking. */
export class Linking {
  readonly #options: LinkingOptions;
  readonly #tries: RateCounter;
  readonly vaults: Vaults;

  constructor(options: LinkingOptions) {
    this.#options = options;
    const { counters = countLocally } = options;
    this.#tries = counters('link-tries', { length: HOUR_MS, maxClients: MAX_ACCOUNTS });
    this.vaults = new Vaults({ ...options, count: (account) => this.#count(account) });
  }

  get readsVaults(): boolean {
    return this.#options.readsVaults;
  }

  get pageHost(): string {
    return new URL(this.#options.pageUrl()).host;
  }

  get isPageLocal(): boolean {
    return LOCAL.test(new URL(this.#options.pageUrl()).hostname);
  }

  /**
   * Creates a one-time link to the page. Its secret is in the fragment, which servers and link
   * previews never receive.
   * @param isAnew whether to discard a proved wallet whose code is expected
   * @throws UserError `link-tries`; RetryableError if a wallet has just been proved
   */
  async begin(account: Applicant, isAnew = false): Promise<{ url: string; expiresAt: number }> {
    const { store, random, hash, pageUrl } = this.#options;
    await this.#count(account);
    if (isAnew) await this.#giveUp(account);
    else await this.#dropUnproved(account);
    const ticket = hexText(random(TICKET_BYTES));
    const request = { ...this.#request(account, 'page'), ticket: hash(ticket) };
    await store.putRequest(request);
    return { url: `${pageUrl()}#${ticket}`, expiresAt: request.expiresAt };
  }

  /**
   * The wallet whose code is expected. First retries a signature that couldn't be checked.
   * @returns undefined if there is none
   * @throws UserError a ProofErrorCode, once: why the signature from the page was rejected
   *   meanwhile
   */
  async codeExpected(account: Account): Promise<ExpectedCode | undefined> {
    const { store, now, onUnchecked } = this.#options;
    const key: RequestKey = { account, way: 'page' };
    const seconds = await this.retry(key, true);
    if (typeof seconds === 'number') onUnchecked(key, seconds);
    const request = await store.findRequest(key, now());
    if (request === undefined) return undefined;
    const refusal = settledRefusal(request);
    if (refusal !== undefined) {
      await forgetRefusal(store, request, now());
      const isNameless = refusal.values.length === 0 || refusal.code === 'owners-missing';
      throw isNameless ? refusal : refusedOnPage();
    }
    return expectedOf(request, now());
  }

  /**
   * Creates a text to sign anywhere; the same again while that can still be signed.
   * @throws UserError `link-tries`, `invalid-address`, `wallet-unusable`; UncheckedProof while an
   *   earlier signature, which this would drop, is still being checked
   */
  async beginByHand(account: Applicant, address: string): Promise<HandChallenge> {
    const { store, challenger, now } = this.#options;
    await this.#count(account);
    const before = await store.findRequest({ account, way: 'chat' }, now());
    // What may have been signed already stays valid, and owners go on signing what can't be checked yet.
    const again = before && (await challenger.again(before.account, address, before, now()));
    const unchecked = stillTried(before, now());
    if (again !== undefined) return handChallenge(again, unchecked?.until);
    if (unchecked !== undefined) throw new UncheckedProof(unchecked, { now: now() });
    const { platform, id, username, locale } = account;
    const owner = { platform, id, username };
    const made = await challenger.make(owner, address, now());
    const { wallet, text, nonce, issuedAt, expiresAt } = made;
    const request = this.#request({ ...owner, locale }, 'chat');
    await store.putRequest({
      ...request,
      challenge: { wallet, text, nonce, issuedAt, expiresAt },
      expiresAt: Math.max(request.expiresAt, expiresAt),
    });
    return handChallenge(made);
  }

  /**
   * Submits a signature of the account's latest text.
   * @throws UserError `link-tries`, `link-nothing`, a ProofErrorCode; as `decideProof`;
   *   UncheckedProof: it's kept and retried, here and by `resume`
   */
  async handIn(account: Account, signature: string): Promise<Linked> {
    const { store, challenger, now } = this.#options;
    // First: people who pasted a secret must be warned.
    await challenger.requireNoSecret(signature);
    await this.#count(account);
    const find = async () => {
      const found = await store.findRequest({ account, way: 'chat' }, now());
      if (found === undefined) throw nothingToProve();
      return found;
    };
    const submission = { form: undefined, signature };
    return await handInLatest(find, async (found) => {
      // The same once more, of which it isn't known yet how it went.
      const linked = found.challenge === undefined && (await takeOutcome(store, found, now()));
      if (linked) return linked;
      return await this.#finish(account, () => challenger.check(found, submission, now()));
    });
  }

  /** Whether the account's latest text can still be signed: what was refused may have used it up. */
  async awaitsSignature(account: Account): Promise<boolean> {
    const { store, now } = this.#options;
    const found = await store.findRequest({ account, way: 'chat' }, now());
    return found?.challenge !== undefined && found.challenge.expiresAt > now();
  }

  /**
   * Resumes a signature that couldn't be checked when it was submitted, or reports its outcome.
   * @returns undefined if there is none
   * @throws as `handIn`
   */
  async resume(account: Account): Promise<Linked | undefined> {
    const { store, challenger, now } = this.#options;
    const found = await store.findRequest({ account, way: 'chat' }, now());
    const linked = found && (await takeOutcome(store, found, now()));
    if (linked !== undefined) return linked;
    if (found?.pending === undefined) return undefined;
    return await this.#finish(account, () => challenger.recheck(found, now(), true));
  }

  /**
   * Retries a signature that couldn't be checked, and stores the outcome: for the page, which alone
   * can derive the code and may be closed, or otherwise for `resume`.
   * @param isAsked see `Challenger.recheck`
   * @returns as `retryProof`
   */
  async retry(key: RequestKey, isAsked = false): ReturnType<typeof retryProof> {
    const { store, now } = this.#options;
    return await retryProof(
      this.#options,
      { ...key, isAsked },
      async ({ proof, request, sharedUntil = 0 }) => {
        const until = Math.max(now() + OUTCOME_KEPT_SECONDS, sharedUntil);
        const expiresAt = Math.max(request.expiresAt, until);
        const came =
          key.way === 'page'
            ? { checked: { proof, until }, settled: undefined }
            : { settled: await this.#link(key.account, proof) };
        await store.changeRequest({ ...request, ...came, expiresAt });
      },
    );
  }

  /**
   * Accepts the code the page showed after the wallet signed.
   * @throws UserError `code-wrong`, `code-unexpected`, `code-tries`; as `decideProof`, which ends
   *   the request
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
    // Count the attempt before checking it: concurrent attempts must not count as one.
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

  /** Links a proved wallet; retries what can't be checked now. */
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

  /** Links, and only then drops the request: if the store was down, the same code still works. */
  async #settle(account: Account, proof: StoredProof, request: LinkRequest): Promise<Linked> {
    const { store } = this.#options;
    const linked = await this.#link(account, proof).catch(async (error: unknown) => {
      if (error instanceof UserError) await store.dropRequest(request);
      throw error;
    });
    await store.dropRequest(request);
    return linked;
  }

  /** Drops the account's request without the page. */
  async #giveUp(account: Account): Promise<void> {
    const { store, now } = this.#options;
    const request = await store.findRequest({ account, way: 'chat' }, now());
    if (request !== undefined) await store.dropRequest(request);
  }

  /**
   * Drops the account's request on the page, in the version read: what is proved meanwhile stays.
   */
  async #dropUnproved(account: Account): Promise<void> {
    const { store, now } = this.#options;
    const request = await store.findRequest({ account, way: 'page' }, now());
    if (request === undefined) return;
    const expected = expectedOf(request, now());
    if (expected === undefined && (await store.dropRequest(request))) return;
    throw new RetryableError('The page is working on this request.', { retryAfter: 1 });
  }

  async #link(account: Account, proof: StoredProof): Promise<Linked> {
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

  #request({ locale, ...account }: Applicant, way: RequestWay): LinkRequest {
    const { random, now } = this.#options;
    const { platform, id, name, username, avatar } = account;
    const createdAt = now();
    return {
      id: hexText(random(TICKET_BYTES)),
      version: 0,
      account: { platform, id, name, username, avatar },
      locale,
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

function handChallenge(made: FreshChallenge, uncheckedUntil?: number): HandChallenge {
  const { wallet, text, expiresAt, caveat, transaction } = made;
  return {
    ...{ wallet, text, expiresAt, caveat, isForSeveral: isForSeveral(made), uncheckedUntil },
    transaction: transaction && base64Text(transaction),
  };
}

/** A refusal with values may name the wallet of whom the link was passed on to. */
function refusedOnPage(): UserError {
  return new UserError(
    'page-refused',
    'What was signed on the page was rejected. Type /link for a new link, and sign again.',
  );
}

function wrongCode(): UserError {
  return new UserError('code-wrong', "That's not the code on the page. Check it and try again.");
}
