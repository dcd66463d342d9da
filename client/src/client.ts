import createClient, { type Client } from 'openapi-fetch';
import type { ChangeEntry, ChangesQuery } from './change-types.ts';
import { followChanges, readChanges } from './changes.ts';
import { ConnectionError, errorOf, type FathomError } from './errors.ts';
import { Transport } from './transport.ts';
import type {
  ActivityList,
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
} from './types.ts';
import { retryAfterOf } from './waiting.ts';

export interface FathomOptions {
  /** Where the service is, such as `https://rep.example.org`. */
  readonly url: string;
  /** Raises the limit from 100 requests a minute to 1,000. Never put one into a web page. */
  readonly apiKey?: string | undefined;
  /** Milliseconds that a call may wait for the limit, and for a server that is away; 60,000. */
  readonly maxWait?: number;
  /** Milliseconds that one attempt may take; 30,000. */
  readonly timeout?: number;
  /** Bodies kept to be revalidated by their ETag; 500 of at most 16 million characters in all. */
  readonly cache?: { readonly entries: number; readonly characters: number };
  /** Sees the headers of each response, such as `Reputation-Status`. */
  readonly onResponse?: (response: Response) => void;
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** Of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** As of `fetch`: `no-cache` asks the service even where the browser's cache has an answer. */
  readonly cache?: NonNullable<RequestInit['cache']>;
}

const CACHE = { entries: 500, characters: 16_000_000 };
/** Addresses in one request for a list, and entries of a page. */
const LIST_MAX = 100;
const PAGE_MAX = 500;
/** Whatever may be an address. A comma within one would shift the results of all that follow. */
const LISTABLE = /^[0-9A-Za-z]{1,100}$/;

/** A client of one Fathom. Its calls throw a `FathomError` by code, or a `ConnectionError`. */
export class Fathom {
  /** The API as its document describes it, for whatever has no method here. */
  readonly api: Client<paths>;
  readonly #transport: Transport;
  readonly #baseUrl: string;

  constructor(options: FathomOptions) {
    this.#baseUrl = `${options.url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
    this.#transport = new Transport({
      baseUrl: this.#baseUrl,
      apiKey: options.apiKey,
      fetch: options.fetch ?? ((request) => fetch(request)),
      maxWait: options.maxWait ?? 60_000,
      timeout: options.timeout ?? 30_000,
      cache: options.cache ?? CACHE,
      onResponse: options.onResponse ?? (() => undefined),
    });
    this.api = createClient<paths>({
      baseUrl: this.#baseUrl,
      headers: this.#transport.headers(),
      fetch: (request) => this.#transport.send(request),
      querySerializer: { array: { style: 'form', explode: false } },
    });
  }

  /** @throws WalletNotFoundError for a wallet without activity */
  async reputation(
    address: string,
    { chain, ...call }: CallOptions & { readonly chain?: ChainCode } = {},
  ): Promise<Reputation> {
    const query = chain === undefined ? {} : { chain };
    return got(
      await this.api.GET('/reputation/{address}', {
        ...call,
        params: { path: { address }, query },
      }),
    );
  }

  /** In the order asked, by requests of 100 wallets; what is wrong with one stands in its place. */
  async reputations(
    addresses: readonly string[],
    call: CallOptions = {},
  ): Promise<(Reputation | FathomError)[]> {
    return this.#lists(addresses, async (part) =>
      got(await this.api.GET('/reputation', { ...call, params: { query: { addresses: part } } })),
    );
  }

  async badges(address: string, call: CallOptions = {}): Promise<BadgeList> {
    return got(await this.api.GET('/badges/{address}', { ...call, params: { path: { address } } }));
  }

  /** As `reputations`. */
  async badgeLists(
    addresses: readonly string[],
    call: CallOptions = {},
  ): Promise<(BadgeList | FathomError)[]> {
    return this.#lists(addresses, async (part) =>
      got(await this.api.GET('/badges', { ...call, params: { query: { addresses: part } } })),
    );
  }

  async activity(
    address: string,
    { limit = 50, ...call }: CallOptions & { readonly limit?: number } = {},
  ): Promise<ActivityList> {
    const params = { path: { address }, query: { limit } };
    return got(await this.api.GET('/activity/{address}', { ...call, params }));
  }

  async leaderboard({
    signal,
    cache,
    ...query
  }: CallOptions & LeaderboardQuery = {}): Promise<Leaderboard> {
    const call = { ...(signal && { signal }), ...(cache && { cache }) };
    return got(await this.api.GET('/leaderboard', { ...call, params: { query } }));
  }

  /**
   * Every user by score, page by page. Ranks may move between two pages: `WalletCopy` doesn't lose
   * or repeat anyone.
   */
  async *users({
    offset = 0,
    ...query
  }: CallOptions & LeaderboardQuery = {}): AsyncGenerator<LeaderboardEntry> {
    const limit = query.limit ?? PAGE_MAX;
    for (let at = offset; ; at += limit) {
      const { leaderboard, total } = await this.leaderboard({ ...query, limit, offset: at });
      yield* leaderboard;
      if (leaderboard.length === 0 || at + limit >= total) return;
    }
  }

  async stats(call: CallOptions = {}): Promise<GlobalStats> {
    return got(await this.api.GET('/stats/global', { ...call }));
  }

  async breakdown(address: string, call: CallOptions = {}): Promise<Breakdown> {
    return got(
      await this.api.GET('/breakdown/{address}', { ...call, params: { path: { address } } }),
    );
  }

  async history(
    address: string,
    {
      signal,
      cache,
      ...query
    }: CallOptions & { readonly from?: string; readonly to?: string } = {},
  ): Promise<ScoreHistory> {
    const params = { path: { address }, query };
    const call = { ...(signal && { signal }), ...(cache && { cache }) };
    return got(await this.api.GET('/history/{address}', { ...call, params }));
  }

  async provenance(call: CallOptions = {}): Promise<Provenance> {
    return got(await this.api.GET('/provenance', { ...call }));
  }

  /** One page of what changed. @throws CursorGoneError */
  changes(query: ChangesQuery = {}, { signal }: CallOptions = {}): Promise<Changes> {
    return readChanges(this.#transport, this.#baseUrl, query, signal);
  }

  /**
   * What changes from a cursor on, as it happens: by a stream, or page by page where no stream comes
   * through. It goes on over lost connections; nothing is left out and nothing comes twice. Without
   * `after` it begins with what comes next.
   * @throws CursorGoneError: read the boards again, then go on without a cursor
   */
  follow(
    query: Omit<ChangesQuery, 'limit'> = {},
    call: CallOptions = {},
  ): AsyncGenerator<ChangeEntry> {
    return followChanges(this.#transport, this.#baseUrl, query, call.signal);
  }

  async #lists<T>(
    addresses: readonly string[],
    ask: (part: string[]) => Promise<{ results: readonly (T | ListProblem)[] }>,
  ): Promise<(T | FathomError)[]> {
    const listed = addresses.filter((each) => LISTABLE.test(each));
    const found: (T | FathomError)[] = [];
    for (let at = 0; at < listed.length; at += LIST_MAX) {
      const part = listed.slice(at, at + LIST_MAX);
      const { results } = await ask(part);
      if (results.length !== part.length) {
        throw new ConnectionError(`${this.#baseUrl} answered for other wallets than were asked.`);
      }
      for (const each of results)
        found.push(isProblem(each) ? errorOf(each, statusOf(each)) : each);
    }
    let next = 0;
    return addresses.map((each) =>
      LISTABLE.test(each) ? (found[next++] as T | FathomError) : errorOf(UNLISTABLE, 400),
    );
  }
}

const UNLISTABLE = {
  code: 'invalid-address',
  detail: "This isn't a wallet address: addresses have letters and digits only.",
};

function isProblem<T>(place: T | ListProblem): place is ListProblem {
  return typeof place === 'object' && place !== null && 'code' in place;
}

/** The status of a single request with this outcome. */
function statusOf({ code }: ListProblem): number {
  return code === 'wallet-not-found' ? 404 : 400;
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** @throws FathomError by the code of an error; ConnectionError for what isn't an answer of Fathom's */
export function got<T>({ data, error, response }: Answer<T>): T {
  if (!response.ok) {
    const wait = retryAfterOf(response.headers);
    throw errorOf(error, response.status, wait === undefined ? undefined : wait / 1000);
  }
  if (typeof data !== 'object' || data === null) {
    throw new ConnectionError(`${response.url} answered with something that isn't JSON.`);
  }
  return data;
}
