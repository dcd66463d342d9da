import createClient, { type Client } from 'openapi-fetch';
import type { ChangeEntry, ChangesQuery } from './change-types.ts';
import { followChanges, readChanges } from './changes.ts';
import {
  ConnectionError,
  errorIn,
  errorOf,
  FathomError,
  isRetryable,
  WalletNotFoundError,
} from './errors.ts';
import { type Freshness, freshnessOf, type Result } from './freshness.ts';
import { baseUrlOf, limitOf, millisecondsOf, requireKnown } from './options.ts';
import { hasTier, requirePlace } from './tiers.ts';
import { Transport, type TransportOptions } from './transport.ts';
import type {
  Activity,
  ActivityList,
  ActivityPage,
  BadgeList,
  Breakdown,
  ChainCode,
  Changes,
  GlobalStats,
  Leaderboard,
  LeaderboardEntry,
  LeaderboardQuery,
  ListProblem,
  Provenance,
  paths,
  Reputation,
  ScoreHistory,
  Tier,
} from './types.ts';

export interface FathomOptions {
  /** The URL of the service, such as `https://rep.example.org`. */
  readonly url: string;
  /** Raises the limit from 100 requests per minute to 1,000. Never put a key into a web page. */
  readonly apiKey?: string | undefined;
  /**
   * Milliseconds that a request may wait for the rate limit or an unavailable server: after that, no attempt
   * begins. Default: 130,000, two windows of the rate limit and a little more.
   */
  readonly maxWait?: number;
  /**
   * Timeout of one attempt in milliseconds, of which a request has up to four. With `maxWait` it's the longest
   * that a request takes. Default: 30,000.
   */
  readonly timeout?: number;
  /**
   * Limits of the cache that revalidates responses by ETag. Default: 500 responses, 16 million characters in
   * all.
   */
  readonly cache?: { readonly entries: number; readonly characters: number };
  /** Called with each response, for headers such as `Reputation-Status`. */
  readonly onResponse?: (response: Response) => void;
  /** In place of the platform's: pass it both, as `init` has the signal. */
  readonly fetch?: TransportOptions['fetch'];
}

/** Options of a single call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** As in `fetch`: `no-cache` revalidates even if the browser's cache has a response. */
  readonly cache?: NonNullable<RequestInit['cache']>;
}

const OPTIONS = [
  'url',
  'apiKey',
  'maxWait',
  'timeout',
  'cache',
  'onResponse',
  'fetch',
] satisfies (keyof FathomOptions)[];
const CALL = ['signal', 'cache'] satisfies (keyof CallOptions)[];

/** @throws TypeError if there is no such option */
function checked(call: CallOptions): CallOptions {
  requireKnown(call, CALL);
  return call;
}

const MAX_WAIT_MS = 130_000;
const TIMEOUT_MS = 30_000;
const CACHE = { entries: 500, characters: 16_000_000 };
/** Addresses per list request, and entries per page. */
const LIST_MAX = 100;
const PAGE_MAX = 500;
const ACTIVITIES_MAX = 1_000;
/** Anything that may be an address. A comma would shift all results that follow. */
const LISTABLE = /^[0-9A-Za-z]{1,100}$/;

/**
 * A client for one Fathom service. Its methods throw a `FathomError`, with a class per code, or a
 * `ConnectionError`.
 */
export class Fathom {
  /** The API as described by its OpenAPI document, for everything without a method here. */
  readonly api: Client<paths>;
  readonly #transport: Transport;
  readonly #baseUrl: string;

  /**
   * @throws TypeError if there is no such option, or can't be a service at the URL; RangeError if a time or a limit
   *   is no number
   */
  constructor(options: FathomOptions) {
    requireKnown(options, OPTIONS);
    this.#baseUrl = baseUrlOf(options.url);
    const cache = options.cache ?? CACHE;
    requireKnown(cache, Object.keys(CACHE));
    this.#transport = new Transport({
      baseUrl: this.#baseUrl,
      apiKey: options.apiKey,
      fetch: options.fetch ?? ((request, init) => fetch(request, init)),
      maxWait: millisecondsOf('maxWait', options.maxWait ?? MAX_WAIT_MS, 0),
      timeout: millisecondsOf('timeout', options.timeout ?? TIMEOUT_MS, 1),
      cache: {
        entries: limitOf('cache.entries', cache.entries),
        characters: limitOf('cache.characters', cache.characters),
      },
      onResponse: options.onResponse ?? (() => undefined),
    });
    this.api = createClient<paths>({
      baseUrl: this.#baseUrl,
      headers: this.#transport.headers(),
      fetch: (request) => this.#transport.send(request),
      querySerializer: { array: { style: 'form', explode: false } },
    });
  }

  /** @throws WalletNotFoundError if the wallet has no activity */
  async reputation(
    address: string,
    { chain, ...call }: CallOptions & { readonly chain?: ChainCode } = {},
  ): Promise<Result<Reputation>> {
    const query = chain === undefined ? {} : { chain };
    return got(
      await this.api.GET('/reputation/{address}', {
        ...checked(call),
        params: { path: pathOf(address), query },
      }),
    );
  }

  /**
   * Whether a wallet has at least this tier: true or false, or undefined while that can't be known, because
   * data is stale or partial, or because the service can't be asked. Grant on true, refuse on false, and on
   * undefined leave things as they are and ask again later.
   * @throws FathomError if asking again won't help, such as InvalidAddressError; RangeError if there is no such tier
   */
  async hasTier(address: string, tier: Tier, call: CallOptions = {}): Promise<boolean | undefined> {
    // At once, not only once the service answers: an unknown tier would pass for "unknown right now".
    requirePlace(tier);
    try {
      return hasTier(await this.reputation(address, call), tier);
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof WalletNotFoundError) return hasTier(error, tier);
      if (isRetryable(error)) return undefined;
      throw error;
    }
  }

  /**
   * In the order of the addresses, in requests of up to 100. A wallet's error takes its place in the list. If a
   * request fails after others succeeded, its error takes the place of all wallets that weren't read: ask for
   * those again where `isRetryable(error)`.
   */
  async reputations(
    addresses: readonly string[],
    call: CallOptions = {},
  ): Promise<ListOf<Reputation>> {
    return this.#lists(addresses, call, async (part) =>
      got(await this.api.GET('/reputation', { ...call, params: { query: { addresses: part } } })),
    );
  }

  async badges(address: string, call: CallOptions = {}): Promise<Result<BadgeList>> {
    const params = { path: pathOf(address) };
    return got(await this.api.GET('/badges/{address}', { ...checked(call), params }));
  }

  /** See `reputations`. */
  async badgeLists(
    addresses: readonly string[],
    call: CallOptions = {},
  ): Promise<ListOf<BadgeList>> {
    return this.#lists(addresses, call, async (part) =>
      got(await this.api.GET('/badges', { ...call, params: { query: { addresses: part } } })),
    );
  }

  async activity(
    address: string,
    { limit = 50, ...call }: CallOptions & { readonly limit?: number } = {},
  ): Promise<Result<ActivityList>> {
    const params = { path: pathOf(address), query: { limit } };
    return got(await this.api.GET('/activity/{address}', { ...checked(call), params }));
  }

  /** One page of all activities. @throws CursorGoneError */
  async activities(
    address: string,
    {
      signal,
      cache,
      ...query
    }: CallOptions & { readonly after?: string; readonly limit?: number } = {},
  ): Promise<Result<ActivityPage>> {
    const params = { path: pathOf(address), query };
    const call = { ...(signal && { signal }), ...(cache && { cache }) };
    return got(await this.api.GET('/activities/{address}', { ...call, params }));
  }

  /**
   * All activities of a wallet, newest first, page by page. After an error, go on with `after` and the id of the
   * last one you have.
   * @throws CursorGoneError if the wallet doesn't have that activity any more
   */
  async *allActivities(
    address: string,
    { after, ...query }: CallOptions & { readonly after?: string; readonly limit?: number } = {},
  ): AsyncGenerator<Result<Activity>> {
    for (let next: string | null | undefined = after; next !== null; ) {
      const place: { after?: string } = next === undefined ? {} : { after: next };
      const page: Result<ActivityPage> = await this.activities(address, {
        limit: ACTIVITIES_MAX,
        ...query,
        ...place,
      });
      const { stale, partial } = page;
      for (const activity of page.activities) yield { ...activity, stale, partial };
      next = page.next;
    }
  }

  async leaderboard({
    signal,
    cache,
    ...query
  }: CallOptions & LeaderboardQuery = {}): Promise<Result<Leaderboard>> {
    const call = { ...(signal && { signal }), ...(cache && { cache }) };
    return got(await this.api.GET('/leaderboard', { ...call, params: { query } }));
  }

  /**
   * All users by score, page by page; after an error, go on with the `offset` of what you have. Ranks may change
   * between two pages; use `WalletCopy` to neither miss nor repeat anyone.
   */
  async *users({
    offset = 0,
    ...query
  }: CallOptions & LeaderboardQuery = {}): AsyncGenerator<Result<LeaderboardEntry>> {
    const limit = query.limit ?? PAGE_MAX;
    let at = offset;
    for (;;) {
      const page = await this.leaderboard({ ...query, limit, offset: at });
      const { leaderboard, total, stale, partial } = page;
      for (const entry of leaderboard) yield { ...entry, stale, partial };
      // A page may be shorter than asked for: the service has a maximum.
      at += leaderboard.length;
      if (leaderboard.length === 0 || at >= total) return;
    }
  }

  async stats(call: CallOptions = {}): Promise<Result<GlobalStats>> {
    return got(await this.api.GET('/stats/global', { ...checked(call) }));
  }

  async breakdown(address: string, call: CallOptions = {}): Promise<Result<Breakdown>> {
    const params = { path: pathOf(address) };
    return got(await this.api.GET('/breakdown/{address}', { ...checked(call), params }));
  }

  async history(
    address: string,
    {
      signal,
      cache,
      ...query
    }: CallOptions & { readonly from?: string; readonly to?: string } = {},
  ): Promise<Result<ScoreHistory>> {
    const params = { path: pathOf(address), query };
    const call = { ...(signal && { signal }), ...(cache && { cache }) };
    return got(await this.api.GET('/history/{address}', { ...call, params }));
  }

  async provenance(call: CallOptions = {}): Promise<Result<Provenance>> {
    return got(await this.api.GET('/provenance', { ...checked(call) }));
  }

  /** One page of changes. @throws CursorGoneError */
  async changes(query: ChangesQuery = {}, call: CallOptions = {}): Promise<Result<Changes>> {
    requireKnown(query, ['after', 'chain', 'limit']);
    return readChanges(this.#transport, this.#baseUrl, query, checked(call).signal);
  }

  /**
   * Yields changes as they happen: from a stream, or page by page if streams don't get through. Reconnects
   * without losing or repeating any. Without `after` it starts with the next change.
   * @throws CursorGoneError: read the leaderboard again, then go on without a cursor
   */
  follow(
    query: Omit<ChangesQuery, 'limit'> = {},
    call: CallOptions = {},
  ): AsyncGenerator<ChangeEntry> {
    requireKnown(query, ['after', 'chain']);
    return followChanges(this.#transport, this.#baseUrl, query, checked(call).signal);
  }

  async #lists<T>(
    addresses: readonly string[],
    call: CallOptions,
    ask: (part: string[]) => Promise<{ results: readonly (T | ListProblem)[] } & Freshness>,
  ): Promise<ListOf<T>> {
    const { signal } = checked(call);
    const listed = addresses.filter((each) => LISTABLE.test(each));
    const found: ListOf<T> = [];
    let failure: FathomError | ConnectionError | undefined;
    for (let at = 0; at < listed.length; at += LIST_MAX) {
      try {
        found.push(...(await this.#list(listed.slice(at, at + LIST_MAX), ask)));
      } catch (error) {
        signal?.throwIfAborted();
        const isNothingRead = found.length === 0;
        if (isNothingRead || !(error instanceof FathomError || error instanceof ConnectionError))
          throw error;
        failure = error;
        break;
      }
    }
    let next = 0;
    return addresses.map((each) => {
      if (!LISTABLE.test(each)) return errorOf(UNLISTABLE, 400);
      const place = found[next++] ?? failure;
      if (place === undefined) throw new Error('a list has fewer results than addresses');
      return place;
    });
  }

  async #list<T>(
    part: string[],
    ask: (part: string[]) => Promise<{ results: readonly (T | ListProblem)[] } & Freshness>,
  ): Promise<ListOf<T>> {
    const { results, stale, partial } = await ask(part);
    if (results.length !== part.length) {
      throw new ConnectionError(`${this.#baseUrl} answered for other wallets than were asked.`);
    }
    const freshness = { stale, partial };
    return results.map((each) =>
      isProblem(each)
        ? errorOf(each, statusOf(each), undefined, freshness)
        : { ...each, ...freshness },
    );
  }
}

/** Results and errors, in the order of the addresses. */
type ListOf<T> = (Result<T> | FathomError | ConnectionError)[];

const UNLISTABLE = {
  code: 'invalid-address',
  detail: "This isn't a wallet address: addresses have letters and digits only.",
};

/** @throws InvalidAddressError for what has no path of its own: nothing, a dot or two, half a character */
function pathOf(address: string): { address: string } {
  if (/^\.{0,2}$|\p{Surrogate}/u.test(address)) throw errorOf(UNLISTABLE, 400);
  return { address };
}

function isProblem<T>(place: T | ListProblem): place is ListProblem {
  return typeof place === 'object' && place !== null && 'code' in place;
}

/** The status that a single request with this outcome would have. */
function statusOf({ code }: ListProblem): number {
  return code === 'wallet-not-found' ? 404 : 400;
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** @throws FathomError for an error response; ConnectionError if it isn't a response from Fathom */
export function got<T>({ data, error, response }: Answer<T>): Result<T> {
  if (!response.ok) throw errorIn(response, error);
  if (typeof data !== 'object' || data === null) {
    throw new ConnectionError(
      "The server answered with something that isn't a resource of this API.",
    );
  }
  return { ...data, ...freshnessOf(response.headers) };
}
