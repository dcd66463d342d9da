import { type ChainCode, chainOfCode } from '#core/chain';
import type { Logger } from '#core/logger';
import type { ReputationSource } from '#core/ports';
import { requireChain, type Wallet, type WalletParser } from '#core/wallet';
import type { Compressor } from './compressor.ts';
import { type DataState, DataStates } from './data-state.ts';
import { matchesEtag } from './etag.ts';
import type { Exchange } from './exchange.ts';
import { fail } from './failure.ts';
import type { Metrics, RouteMetrics } from './metrics.ts';
import { chooseEncoding } from './negotiate.ts';
import { createQueryReader, type QueryReader } from './query.ts';
import { refuse, sendNotModified, sendRecord } from './respond.ts';
import type { Route } from './route.ts';

/** Bodies longer than this are compressed for those who accept it. */
const COMPRESS_ABOVE = 1024;

type Query = Readonly<Record<string, unknown>>;

/** A route with what was made from its schemas once. */
export interface BoundRoute {
  readonly route: Route;
  readonly metrics: RouteMetrics;
  readonly readQuery: QueryReader<Query>;
  readonly serialize: (body: unknown) => string;
}

export function bindRoute(
  route: Route,
  metrics: Metrics,
  serialize: BoundRoute['serialize'],
): BoundRoute {
  return {
    route,
    metrics: metrics.route(`/v1${route.path}`),
    readQuery: createQueryReader<Query>(route.query),
    serialize,
  };
}

interface Parts {
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly compressor: Compressor;
  readonly log: Logger;
}

/** Answers the resources of `/v1`. Works in one go where the source answers at once. */
export class V1 {
  readonly #parts: Parts;
  readonly #states = new DataStates();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * @param address the decoded address of the path, '' for a route without one
   * @param queryText what stands after `?`, '' when there is nothing
   */
  answer(exchange: Exchange, bound: BoundRoute, address: string, queryText: string): void {
    exchange.metrics = bound.metrics;
    const { source, log } = this.#parts;
    try {
      const read = bound.readQuery(queryText);
      if ('problem' in read) {
        refuse(exchange, read.problem);
        return;
      }
      const { query } = read;
      const wallet = bound.route.ofWallet ? this.#walletOf(address, query.chain) : undefined;
      const reading = source.reading('visitor');
      const body = bound.route.answer({ source: reading, query, wallet });
      if (isPromise(body)) {
        body
          .then((settled) => this.#finish(exchange, bound, settled, this.#states.of(reading)))
          .catch((error: unknown) => fail(exchange, error, log));
      } else {
        this.#finish(exchange, bound, body, this.#states.of(reading));
      }
    } catch (error) {
      fail(exchange, error, log);
    }
  }

  /** What the source holds was checked when it came in; only other texts are parsed. */
  #walletOf(text: string, chain: unknown): Wallet {
    const expected = chain === undefined ? undefined : chainOfCode(chain as ChainCode);
    const known = this.#parts.source.recognise(text);
    if (known === undefined) return this.#parts.wallets.parse(text, expected);
    if (expected !== undefined) requireChain(known, expected);
    return known;
  }

  #finish(exchange: Exchange, bound: BoundRoute, body: unknown, state: DataState): void {
    if (body === undefined) {
      const detail = 'No activity of this wallet was ever seen here. The address itself is valid.';
      refuse(exchange, { code: 'wallet-not-found', detail }, state.untagged);
      return;
    }
    if (exchange.ifNoneMatch !== undefined && matchesEtag(exchange.ifNoneMatch, state.etag)) {
      sendNotModified(exchange, state);
      return;
    }
    const text = bound.serialize(body);
    if (exchange.acceptEncoding === undefined) sendRecord(exchange, text, state, undefined);
    else this.#sendEncoded(exchange, text, state);
  }

  #sendEncoded(exchange: Exchange, text: string, state: DataState): void {
    const isLong = Buffer.byteLength(text) > COMPRESS_ABOVE;
    const { encoding, mustEncode } = chooseEncoding(exchange.acceptEncoding);
    if (encoding === undefined || !(isLong || mustEncode)) {
      sendRecord(exchange, text, state, undefined);
      return;
    }
    const { compressor, log } = this.#parts;
    const compressed = compressor.compress(`${state.etag} ${exchange.url}`, text, encoding);
    if (isPromise(compressed)) {
      compressed
        .then((bytes) => sendRecord(exchange, bytes, state, encoding))
        .catch((error: unknown) => fail(exchange, error, log));
    } else {
      sendRecord(exchange, compressed, state, encoding);
    }
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return value instanceof Promise;
}
