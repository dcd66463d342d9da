import type { Logger, MaybePromise } from '#base';
import { Turns } from '#base/process';
import type { Compressor } from '#http/api/answer/compressor';
import { type DataState, DataStateCache, stateOfPage, undated } from '#http/api/answer/data-state';
import { walletNotFound } from '#http/api/answer/problems';
import {
  sendError,
  sendNotModified,
  sendProblemDetails,
  sendRecord,
} from '#http/api/answer/respond';
import type { Exchange } from '#http/api/server/exchange';
import type { Metrics, RouteMetrics } from '#http/api/server/metrics';
import { chooseEncoding, evaluate, preconditionFailed, wantsStream } from '#http/negotiation';
import type { ChangesPage, ReputationSource } from '#reputation';
import { type ChainCode, chainOfCode, requireChain, type Wallet, type WalletParser } from '#wallet';
import type { ChangeStreams, ChangesParameters } from './change-streams.ts';
import { type ListBody, listCost, serializeList, serializePage } from './list-route.ts';
import { maxLengthOf } from './paths.ts';
import { createQueryReader, type QueryReader } from './query.ts';
import {
  type DeprecationHeaders,
  deprecationHeaders,
  type Route,
  type Serialize,
} from './route.ts';

/** Bodies longer than this are compressed if the client accepts it. */
const COMPRESS_ABOVE = 1024;

type Query = Readonly<Record<string, unknown>>;

/** Shared by all long lists: however many are asked for, one of them goes on per turn. */
const TURNS = new Turns();

/** A route with everything compiled from its schemas. */
export interface BoundRoute {
  readonly route: Route;
  readonly metrics: RouteMetrics;
  readonly readQuery: QueryReader<Query>;
  readonly serialize: (body: unknown) => MaybePromise<string | Buffer>;
  readonly deprecation: DeprecationHeaders | undefined;
}

/** @param serialize of a list of addresses, or of changes: for one of them */
export function bindRoute(route: Route, metrics: Metrics, serialize: Serialize): BoundRoute {
  return {
    route,
    metrics: metrics.route(`/v1${route.path}`),
    readQuery: createQueryReader<Query>(route.query),
    serialize: serializerFor(route, serialize),
    deprecation: route.deprecation && deprecationHeaders(route.deprecation),
  };
}

/** @param one writes what `Route.record` or `Route.change` describes */
function serializerFor({ record, change }: Route, one: Serialize): BoundRoute['serialize'] {
  if (record !== undefined) return (body: unknown) => serializeList(body as ListBody, one, TURNS);
  if (change !== undefined) return (body: unknown) => serializePage(body as ChangesPage, one);
  return one;
}

/**
 * Requests that a request for a list of addresses counts as; undefined for any other, and for one
 * that will be refused whatever its addresses are: those count as one.
 */
export function bulkCostOf(bound: readonly BoundRoute[], url: string): number | undefined {
  const query = url.indexOf('?');
  if (query === -1 || url.length > maxLengthOf(url)) return undefined;
  const path = url.slice('/v1'.length, query);
  const found = bound.find(({ route }) => route.record !== undefined && route.path === path);
  const read = found?.readQuery(url.slice(query + 1));
  return read === undefined || 'problem' in read ? undefined : listCost(read.query);
}

/** Nobody gets a list for less than it costs, should admission and router ever read a URL differently. */
function requireCost(exchange: Exchange, { record }: Route, query: Query): void {
  if (record !== undefined && exchange.bulkCost !== listCost(query)) {
    throw new Error("a list of addresses wasn't counted as a list");
  }
}

interface Options {
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly compressor: Compressor;
  readonly streams: ChangeStreams;
  readonly log: Logger;
}

/** Handles the resources of `/v1`; synchronously if the source is. */
export class ResourceHandler {
  readonly #options: Options;
  readonly #states = new DataStateCache();

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * @param address the decoded address from the path, '' for a route without one
   * @param queryText the raw text after `?`, '' if there is none
   */
  answer(exchange: Exchange, bound: BoundRoute, address: string, queryText: string): void {
    exchange.metrics = bound.metrics;
    exchange.deprecation = bound.deprecation;
    const { source, log } = this.#options;
    try {
      const read = bound.readQuery(queryText);
      if ('problem' in read) {
        sendProblemDetails(exchange, read.problem);
        return;
      }
      const { query } = read;
      requireCost(exchange, bound.route, query);
      const wallet = bound.route.ofWallet ? this.#walletOf(address, query.chain) : undefined;
      if (bound.route.change !== undefined && this.#streamed(exchange, query)) return;
      const reading = source.reading('visitor');
      // What is read from the feed may be newer than the state, but never older.
      const before = bound.route.change && this.#states.of(reading);
      const stateFor = (answer: unknown) => {
        if (before !== undefined) return stateOfPage(before, answer as ChangesPage);
        const state = this.#states.of(reading);
        return bound.route.isUndated === true ? undated(state) : state;
      };
      const body = bound.route.answer({
        source: reading,
        query,
        wallet,
        readWallet: this.#readWallet,
        feed: source.changes,
      });
      if (isPromise(body)) {
        body
          .then((settled) => this.#finish(exchange, bound, settled, stateFor(settled)))
          .catch((error: unknown) => sendError(exchange, error, log));
      } else {
        this.#finish(exchange, bound, body, stateFor(body));
      }
    } catch (error) {
      sendError(exchange, error, log);
    }
  }

  /** @returns whether the request is for a stream */
  #streamed(exchange: Exchange, query: Query): boolean {
    exchange.variesByAccept = true;
    if (!wantsStream(exchange.req.headers.accept)) return false;
    const { streams, log } = this.#options;
    streams
      .open(exchange, query as ChangesParameters)
      .catch((error: unknown) => sendError(exchange, error, log));
    return true;
  }

  readonly #readWallet = (text: string): Wallet => this.#walletOf(text, undefined);

  /** Parses only addresses that the source doesn't already know: those were validated on the way in. */
  #walletOf(text: string, chain: unknown): Wallet {
    const expected = chain === undefined ? undefined : chainOfCode(chain as ChainCode);
    const known = this.#options.source.recognise(text);
    if (known === undefined) return this.#options.wallets.parse(text, expected);
    if (expected !== undefined) requireChain(known, expected);
    return known;
  }

  #finish(exchange: Exchange, bound: BoundRoute, body: unknown, state: DataState): void {
    if (body === undefined) {
      sendProblemDetails(exchange, walletNotFound(), state.untagged);
      return;
    }
    const outcome = exchange.isConditional ? evaluate(exchange, state) : 'send';
    if (outcome === 'not-modified') {
      sendNotModified(exchange, state);
      return;
    }
    if (outcome === 'failed') {
      sendProblemDetails(exchange, preconditionFailed(), state.untagged);
      return;
    }
    const text = bound.serialize(body);
    if (isPromise(text)) {
      text
        .then((bytes) => this.#sendText(exchange, bytes, state))
        .catch((error: unknown) => sendError(exchange, error, this.#options.log));
    } else this.#sendText(exchange, text, state);
  }

  #sendText(exchange: Exchange, text: string | Buffer, state: DataState): void {
    if (exchange.acceptEncoding === undefined) sendRecord(exchange, text, state, undefined);
    else this.#sendEncoded(exchange, text, state);
  }

  #sendEncoded(exchange: Exchange, text: string | Buffer, state: DataState): void {
    const isLong = Buffer.byteLength(text) > COMPRESS_ABOVE;
    const { encoding, mustEncode } = chooseEncoding(exchange.acceptEncoding);
    if (encoding === undefined || !(isLong || mustEncode)) {
      sendRecord(exchange, text, state, undefined);
      return;
    }
    const { compressor, log } = this.#options;
    const compressed = compressor.compress(`${state.etag} ${exchange.url}`, text, encoding);
    if (isPromise(compressed)) {
      compressed
        .then((bytes) => sendRecord(exchange, bytes, state, encoding))
        .catch((error: unknown) => sendError(exchange, error, log));
    } else {
      sendRecord(exchange, compressed, state, encoding);
    }
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return value instanceof Promise;
}
