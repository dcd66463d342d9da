import { RetryableError, UserError } from '#core/errors';
import type { Account, Profile } from '#core/links/account';
import { type Challenger, expired, hexOf } from '#core/links/challenger';
import type { KeptProof } from '#core/links/proof';
import type { LinkRequest, RequestWay } from '#core/links/requests';
import { decideProof, type LinkOutcome } from '#core/links/rules';
import type { LinkStore } from '#core/links/store';
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
  /** Told of every account whose linked wallets have changed. */
  readonly onChange: (account: Account) => void;
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
}

/** A way without a page: what to sign. */
export interface HandChallenge {
  readonly wallet: Wallet;
  readonly text: string;
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

  /**
   * Makes a one-time address of the page. What it carries stands behind `#`, so that no server and
   * no previewer is ever sent it.
   * @param isAnew whether a wallet that has been proved and waits for its code is given up
   * @throws UserError `link-tries`; RetryableError when one has just been proved
   */
  async begin(account: Profile, isAnew = false): Promise<{ url: string; expiresAt: number }> {
    const { store, random, hash, pageUrl } = this.#options;
    await this.#count(account);
    if (!isAnew) await this.#dropUnproved(account);
    const ticket = hexOf(random(TICKET_BYTES));
    const request = { ...this.#request(account, 'page'), ticket: hash(ticket) };
    await store.putRequest(request);
    return { url: `${pageUrl()}#${ticket}`, expiresAt: request.expiresAt };
  }

  /** Undefined where no wallet waits for its code. */
  async codeExpected(account: Account): Promise<ExpectedCode | undefined> {
    const { store, now } = this.#options;
    const request = await store.findRequest({ account, way: 'page' }, now());
    const proved = request?.proved;
    if (proved === undefined || proved.expiresAt <= now()) return undefined;
    return { wallet: proved.proof.wallet, expiresAt: proved.expiresAt };
  }

  /**
   * Makes a text to be signed anywhere.
   * @throws UserError `link-tries`, `invalid-address`, `wallet-unusable`
   */
  async beginByHand(account: Account, address: string): Promise<HandChallenge> {
    const { store, challenger, now } = this.#options;
    await this.#count(account);
    const made = await challenger.make(account, address, now());
    const { wallet, text, nonce, issuedAt, expiresAt, transaction } = made;
    const { platform, id } = account;
    const request = this.#request({ platform, id }, 'chat');
    await store.putRequest({ ...request, challenge: { wallet, text, nonce, issuedAt, expiresAt } });
    return { wallet, text, expiresAt, transaction: transaction?.toBase64() };
  }

  /**
   * Takes a signature of the text that the account was given last.
   * @throws UserError `link-tries`, `link-nothing`, `link-expired`, `signature-…`,
   *   `contract-unsupported`, `wallet-held`, `wallet-limit`
   */
  async handIn(account: Account, signature: string): Promise<Linked> {
    const { store, challenger, now } = this.#options;
    await this.#count(account);
    const found = await store.findRequest({ account, way: 'chat' }, now());
    if (found === undefined) throw expired();
    const submission = { form: undefined, signature };
    const { proof, request } = await challenger.check(found, submission, now());
    await store.dropRequest(request);
    return this.#link(account, proof);
  }

  /**
   * Takes the code that the page showed after the wallet had signed.
   * @throws UserError `code-wrong`, `code-unexpected`, `link-tries`; as `decideProof`
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
      throw new UserError('link-tries', 'The code was wrong too often. Type /link to begin again.');
    }
    if (!(await store.dropRequest(current))) throw expired();
    return this.#link(account, proved.proof);
  }

  /** Drops what the account has begun on the page, as it was read: what is proved meanwhile stays. */
  async #dropUnproved(account: Account): Promise<void> {
    const { store, now } = this.#options;
    const request = await store.findRequest({ account, way: 'page' }, now());
    if (request === undefined) return;
    const isProved = request.proved !== undefined && request.proved.expiresAt > now();
    if (!isProved && (await store.dropRequest(request))) return;
    throw new RetryableError('The page of this request is at it.', { retryAfter: 1 });
  }

  async #link(account: Account, proof: KeptProof): Promise<Linked> {
    const { store, now } = this.#options;
    let outcome: LinkOutcome | undefined;
    await store.change(proof.wallet, account, (situation) => {
      const decision = decideProof(situation, account, proof, now());
      outcome = decision.outcome;
      return decision.changes;
    });
    if (outcome === undefined) throw new Error('the store decided nothing');
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
    const { count } = await this.#tries.count(`${platform}:${id}`, this.#options.now() * 1000);
    if (count > TRIES_AN_HOUR) {
      throw new UserError(
        'link-tries',
        'That were many tries in an hour. Wait a while, then type /link again.',
      );
    }
  }
}

function wrongCode(): UserError {
  return new UserError('code-wrong', 'This is not the code that the page shows. Look again.');
}
