import {
  type ApiKey,
  type BulkCount,
  type KeyStore,
  looksLikeApiKey,
  type MaybePromise,
  MonotonicDates,
  type RateCounter,
  type RateCounterMaker,
  type RateWindow,
  secondsLeft,
} from '#base';
import { hashApiKey } from '#base/process';
import type { Problem } from '#http/api/answer/problems';
import type { Exchange } from '#http/api/server/exchange';
import { clientName, trustProxies } from './client-address.ts';
import {
  createRateLimitPolicy,
  type Quota,
  quotaOf,
  type RateLimitPolicy,
  WINDOW_SECONDS,
} from './quota.ts';

/** Clients remembered per counter: about 10 MB at most. */
const MAX_CLIENTS = 100_000;

/** After this many wrong keys within the window, we check no more keys from that address until it ends. */
const WRONG_KEYS = 5;
const WRONG_KEY_WINDOW = 30_000;

interface AdmissionOptions {
  readonly keys: Pick<KeyStore, 'findByHash'>;
  readonly limits: { readonly public: number; readonly key: number };
  readonly trustProxy: readonly string[];
  /** Milliseconds since 1970, for dates sent to clients. */
  readonly wall: () => number;
  /** Milliseconds of a monotonic clock, for the windows. */
  readonly monotonic: () => number;
  readonly counters: RateCounterMaker;
}

/** The outcome for a request of which we know only the peer. */
export interface PeerAdmission {
  readonly quota: Quota;
  /** Why we reject it, or undefined. */
  readonly problem: Problem | undefined;
}

/** Identifies the client and applies its rate limit. Every `/v1` request passes here once. */
export class AdmissionControl {
  readonly #keys: AdmissionOptions['keys'];
  readonly #clock: () => number;
  readonly #dating: MonotonicDates;
  readonly #trust: ReturnType<typeof trustProxies>;
  readonly #publicPolicy: RateLimitPolicy;
  readonly #keyPolicy: RateLimitPolicy;
  readonly #publicWindows: RateCounter;
  readonly #keyWindows: RateCounter;
  readonly #wrongKeys: RateCounter;

  constructor(options: AdmissionOptions) {
    this.#keys = options.keys;
    this.#clock = options.monotonic;
    this.#dating = new MonotonicDates(options.wall);
    this.#trust = trustProxies(options.trustProxy);
    this.#publicPolicy = createRateLimitPolicy('public', options.limits.public);
    this.#keyPolicy = createRateLimitPolicy('key', options.limits.key);
    const { counters } = options;
    const aMinute = { length: WINDOW_SECONDS * 1000, maxClients: MAX_CLIENTS };
    this.#publicWindows = counters('public', aMinute);
    this.#keyWindows = counters('key', aMinute);
    const aWhile = { length: WRONG_KEY_WINDOW, maxClients: MAX_CLIENTS };
    this.#wrongKeys = counters('wrong-keys', aWhile);
  }

  /**
   * Counts the request and sets its quota.
   * @returns why we reject it, or undefined; a promise only if the counters or the key store are
   *   asynchronous
   */
  admit(exchange: Exchange): MaybePromise<Problem | undefined> {
    const client = this.addressOf(exchange);
    const presented = presentedKey(exchange);
    if (presented.kind === 'none') return this.#countPublic(exchange, client, exchange.bulkCost);
    const wrong = this.#wrongKeys.peek(client, this.#clock());
    return wrong instanceof Promise
      ? wrong.then((window) => this.#admitPresented(exchange, client, presented, window))
      : this.#admitPresented(exchange, client, presented, wrong);
  }

  /** Whether the key of an admitted request is still valid, as a long response asks; where that isn't known, too. */
  isStillAdmitted(exchange: Exchange): MaybePromise<boolean> {
    const presented = presentedKey(exchange);
    if (presented.kind !== 'key') return true;
    try {
      const found = this.#keys.findByHash(hashApiKey(presented.key));
      return found instanceof Promise
        ? found.then(
            (key) => key !== undefined,
            () => true,
          )
        : found !== undefined;
    } catch {
      return true;
    }
  }

  /** Counts a request that could not be parsed, by the peer of its connection. */
  admitPeer(peer: string): MaybePromise<PeerAdmission> {
    const now = this.#clock();
    const window = this.#publicWindows.count(clientName(peer), now);
    return window instanceof Promise
      ? window.then((counted) => this.#peerAdmission(counted, now))
      : this.#peerAdmission(window, now);
  }

  #peerAdmission(window: RateWindow, now: number): PeerAdmission {
    const quota = quotaOf(this.#publicPolicy, window, now, this.#dating);
    const over = window.count > this.#publicPolicy.limit;
    return { quota, problem: over ? limitExceeded(quota) : undefined };
  }

  /** The client by address, ignoring any key. */
  addressOf(exchange: Exchange): string {
    const peer = exchange.req.socket.remoteAddress ?? '';
    return this.#trust.any
      ? clientName(this.#trust.clientBehind(peer, exchange.forwardedFor))
      : clientName(peer);
  }

  #admitPresented(
    exchange: Exchange,
    client: string,
    presented: Exclude<PresentedKey, { kind: 'none' }>,
    wrong: RateWindow | undefined,
  ): MaybePromise<Problem | undefined> {
    if (wrong !== undefined && wrong.count >= WRONG_KEYS) {
      const problem = tooManyWrongKeys(secondsLeft(wrong, this.#clock()));
      const counted = this.#countPublic(exchange, client);
      return counted instanceof Promise ? counted.then(() => problem) : problem;
    }
    if (presented.kind === 'bad') return this.#refuseKey(exchange, client, presented.detail);

    let found: ReturnType<KeyStore['findByHash']>;
    try {
      found = this.#keys.findByHash(hashApiKey(presented.key));
    } catch (error) {
      return this.#failLookUp(exchange, client, error);
    }
    return found instanceof Promise
      ? found.then(
          (key) => this.#admitKey(exchange, client, key),
          (error: unknown) => this.#failLookUp(exchange, client, error),
        )
      : this.#admitKey(exchange, client, found);
  }

  /** @param cost requests that a list counts as; undefined for one request */
  #countPublic(
    exchange: Exchange,
    client: string,
    cost?: number,
  ): MaybePromise<Problem | undefined> {
    return this.#count(exchange, this.#publicWindows, client, this.#publicPolicy, cost);
  }

  #admitKey(
    exchange: Exchange,
    client: string,
    key: ApiKey | undefined,
  ): MaybePromise<Problem | undefined> {
    if (key === undefined) {
      return this.#refuseKey(exchange, client, "This API key doesn't exist or was revoked.");
    }
    exchange.keyId = key.id;
    return this.#count(exchange, this.#keyWindows, key.id, this.#keyPolicy, exchange.bulkCost);
  }

  /** A failed lookup doesn't make the key wrong, but the request still counts. */
  #failLookUp(exchange: Exchange, client: string, error: unknown): MaybePromise<Problem> {
    const over = this.#countPublic(exchange, client);
    return over instanceof Promise
      ? over.then((problem) => problem ?? Promise.reject(error))
      : (over ?? rethrow(error));
  }

  #refuseKey(exchange: Exchange, client: string, detail: string): MaybePromise<Problem> {
    const wrong = this.#wrongKeys.count(client, this.#clock());
    const over = this.#countPublic(exchange, client);
    const problem: Problem = { code: 'invalid-api-key', detail };
    // Respond only after counting, so that parallel guesses can't outrun the counter.
    return wrong instanceof Promise || over instanceof Promise
      ? Promise.all([over, wrong]).then(([limited]) => limited ?? problem)
      : (over ?? problem);
  }

  #count(
    exchange: Exchange,
    counter: RateCounter,
    client: string,
    policy: RateLimitPolicy,
    cost: number | undefined,
  ): MaybePromise<Problem | undefined> {
    const now = this.#clock();
    const bulk: BulkCount | undefined =
      cost === undefined ? undefined : { requests: cost, limit: policy.limit };
    const window = counter.count(client, now, bulk);
    return window instanceof Promise
      ? window.then((counted) => this.#setQuota(exchange, policy, counted, now))
      : this.#setQuota(exchange, policy, window, now);
  }

  /** @returns the problem if the request is over the limit */
  #setQuota(
    exchange: Exchange,
    policy: RateLimitPolicy,
    window: RateWindow,
    now: number,
  ): Problem | undefined {
    const quota = quotaOf(policy, window, now, this.#dating);
    exchange.quota = quota;
    if (window.isRefused === true) return bulkRefused(quota, exchange.bulkCost ?? 1);
    return window.count > policy.limit ? limitExceeded(quota) : undefined;
  }
}

function rethrow(error: unknown): never {
  throw error;
}

function limitExceeded(quota: Quota): Problem {
  const limit = plural(quota.policy.limit, 'request');
  return overLimit(quota, `More than ${limit} in a minute.`);
}

/** A list that costs more than is left; it has taken nothing. */
function bulkRefused(quota: Quota, cost: number): Problem {
  const { limit } = quota.policy;
  const left = `This list costs ${plural(cost, 'request')}, one for each 10 addresses, and ${quota.remaining} of ${limit} are left in this minute, which it didn't use.`;
  return overLimit(quota, cost > limit ? `${left} Ask for fewer addresses.` : left);
}

function overLimit(quota: Quota, what: string): Problem {
  const { name } = quota.policy;
  const seconds = plural(quota.secondsLeft, 'second');
  const more =
    name === 'key'
      ? 'Spread your requests, or cache responses: they carry an ETag and stay fresh for 30 seconds.'
      : 'A free API key raises the limit: type /apikey in chat, or run "fathom keys create" on your own server.';
  return {
    code: 'rate-limited',
    detail: `${what} Wait ${seconds}. ${more}`,
    retryAfter: quota.secondsLeft,
    violatedPolicies: [name],
  };
}

/** @param wait seconds */
function tooManyWrongKeys(wait: number): Problem {
  return {
    code: 'rate-limited',
    detail: `Too many wrong API keys from this address: keys are rejected for ${plural(wait, 'second')}. Check the key, or create a new one with /apikey in chat or "fathom keys create". Requests without a key still work.`,
    retryAfter: wait,
    violatedPolicies: ['wrong-keys'],
  };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The API key that a request presents. */
type PresentedKey =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'bad'; readonly detail: string };

const NONE: PresentedKey = { kind: 'none' };
const BEARER = /^bearer +(\S+)$/i;

/**
 * Reads `Authorization: Bearer` and `X-API-Key`. A client that sends either means to authenticate,
 * so we reject anything but one well-formed key instead of treating it as no key.
 */
function presentedKey(exchange: Exchange): PresentedKey {
  const { authorizations, apiKeys } = exchange;
  if (authorizations === 0 && apiKeys === 0) return NONE;
  if (authorizations > 1 || apiKeys > 1) {
    return bad('The request has more than one key. Send one key, in one header.');
  }
  const bearer = authorizations === 0 ? undefined : BEARER.exec(exchange.authorization)?.[1];
  if (authorizations === 1 && bearer === undefined) {
    return bad('The Authorization header must be "Bearer" followed by the key.');
  }
  const key = bearer ?? exchange.apiKey;
  if (bearer !== undefined && apiKeys === 1 && bearer !== exchange.apiKey) {
    return bad('Authorization and X-API-Key contain different keys. Send only one.');
  }
  if (!looksLikeApiKey(key)) {
    return bad(
      "This isn't a valid key: a character is missing, extra or mistyped. Copy the key again.",
    );
  }
  return { kind: 'key', key };
}

function bad(detail: string): PresentedKey {
  return { kind: 'bad', detail };
}
