import type { ApiKey, KeyStore, MaybePromise } from '#core/ports';
import { RateWindows } from '#core/rate-window';
import { hashApiKey } from './api-key-hash.ts';
import { clientName, trustProxies } from './client-address.ts';
import type { Exchange } from './exchange.ts';
import { presentedKey } from './presented-key.ts';
import type { Problem } from './problems.ts';
import { createPolicy, type Policy, type Quota, quotaOf, WINDOW_SECONDS } from './quota.ts';

/** Clients remembered in each table: about 10 MB at most. */
const MAX_CLIENTS = 100_000;

/** This many wrong keys within `WRONG_KEY_WINDOW` make their sender wait for its end. */
const WRONG_KEYS = 5;
const WRONG_KEY_WINDOW = 30_000;

interface GateOptions {
  readonly keys: Pick<KeyStore, 'findByHash'>;
  readonly limits: { readonly public: number; readonly key: number };
  readonly trustProxy: readonly string[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Decides who a request is from and whether it may pass. Every `/v1` request comes here once. */
export class Gate {
  readonly #keys: GateOptions['keys'];
  readonly #clock: () => number;
  readonly #trust: ReturnType<typeof trustProxies>;
  readonly #publicPolicy: Policy;
  readonly #keyPolicy: Policy;
  readonly #publicWindows = new RateWindows({
    length: WINDOW_SECONDS * 1000,
    maxClients: MAX_CLIENTS,
  });
  readonly #keyWindows = new RateWindows({
    length: WINDOW_SECONDS * 1000,
    maxClients: MAX_CLIENTS,
  });
  readonly #wrongKeys = new RateWindows({ length: WRONG_KEY_WINDOW, maxClients: MAX_CLIENTS });

  constructor(options: GateOptions) {
    this.#keys = options.keys;
    this.#clock = options.clock;
    this.#trust = trustProxies(options.trustProxy);
    this.#publicPolicy = createPolicy('public', options.limits.public);
    this.#keyPolicy = createPolicy('key', options.limits.key);
  }

  /**
   * Counts the request and sets its quota.
   * @returns why it may not pass, or undefined; a promise only where the key store answers later
   */
  admit(exchange: Exchange): MaybePromise<Problem | undefined> {
    const client = this.#clientOf(exchange);
    const presented = presentedKey(exchange);
    if (presented.kind === 'none') return this.#countPublic(exchange, client);

    const wrong = this.#wrongKeys.peek(client, this.#clock());
    if (wrong !== undefined && wrong.count >= WRONG_KEYS) {
      this.#countPublic(exchange, client);
      return tooManyWrongKeys(wrong.endsAt - this.#clock());
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

  /** Counts a request that could not be parsed, of which only the connection's peer is known. */
  admitPeer(peer: string): { quota: Quota; problem: Problem | undefined } {
    const now = this.#clock();
    const window = this.#publicWindows.count(clientName(peer), now);
    const quota = quotaOf(this.#publicPolicy, window, now);
    const over = window.count > this.#publicPolicy.limit;
    return { quota, problem: over ? limitExceeded(quota) : undefined };
  }

  #clientOf(exchange: Exchange): string {
    const peer = exchange.req.socket.remoteAddress ?? '';
    return this.#trust.any
      ? clientName(this.#trust.clientBehind(peer, exchange.forwardedFor))
      : clientName(peer);
  }

  #countPublic(exchange: Exchange, client: string): Problem | undefined {
    return this.#count(exchange, this.#publicWindows, client, this.#publicPolicy);
  }

  #admitKey(exchange: Exchange, client: string, key: ApiKey | undefined): Problem | undefined {
    if (key === undefined) {
      return this.#refuseKey(exchange, client, 'This key is unknown here, or it was revoked.');
    }
    return this.#count(exchange, this.#keyWindows, key.id, this.#keyPolicy);
  }

  /** A key that can't be looked up is not wrong, but the request counts all the same. */
  #failLookUp(exchange: Exchange, client: string, error: unknown): Problem {
    const over = this.#countPublic(exchange, client);
    if (over === undefined) throw error;
    return over;
  }

  #refuseKey(exchange: Exchange, client: string, detail: string): Problem {
    this.#wrongKeys.count(client, this.#clock());
    return this.#countPublic(exchange, client) ?? { code: 'invalid-api-key', detail };
  }

  #count(
    exchange: Exchange,
    windows: RateWindows,
    client: string,
    policy: Policy,
  ): Problem | undefined {
    const now = this.#clock();
    const window = windows.count(client, now);
    const quota = quotaOf(policy, window, now);
    exchange.quota = quota;
    return window.count > policy.limit ? limitExceeded(quota) : undefined;
  }
}

function limitExceeded(quota: Quota): Problem {
  const { name, limit } = quota.policy;
  const seconds = plural(quota.secondsLeft, 'second');
  const more =
    name === 'key'
      ? 'Spread the requests, or keep answers: they carry an ETag and may be kept for 30 seconds.'
      : 'A free API key raises the limit: type /apikey in chat, or run "fathom keys create" on a server of your own.';
  return {
    code: 'rate-limited',
    detail: `More than ${plural(limit, 'request')} in a minute. Wait ${seconds}. ${more}`,
    retryAfter: quota.secondsLeft,
    violatedPolicies: [name],
  };
}

function tooManyWrongKeys(milliseconds: number): Problem {
  const wait = Math.max(1, Math.ceil(milliseconds / 1000));
  return {
    code: 'rate-limited',
    detail: `Too many wrong API keys came from this address, so none is looked at for ${plural(wait, 'second')}. Check the key; /apikey in chat or "fathom keys create" makes a new one. Requests without a key pass.`,
    retryAfter: wait,
    violatedPolicies: ['wrong-keys'],
  };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
