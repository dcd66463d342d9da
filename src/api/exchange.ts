import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RouteMetrics } from './metrics.ts';
import type { Quota } from './quota.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/** What all requests of a server share. */
export interface ServerState {
  /** Set when the server is about to stop: answers then end their connections. */
  draining: boolean;
  readonly unread: UnreadAnswers;
  /** Whether the wallets are made up. */
  readonly isDemo: boolean;
  /** Who a request is from, as far as is known: its key if that was found to be good, else its address. */
  readonly clientOf: (exchange: Exchange) => string;
}

/**
 * One request with its response and what is known about both so far. Made by the front for every
 * request before any routing, so that the answer carries its headers no matter where it ends.
 */
export class Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Ours; what a client sends as its id is neither trusted nor echoed. */
  readonly id: string;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  /** The request target as `normalizeTarget` spells it: path and query. */
  url: string;
  metrics: RouteMetrics;
  readonly server: ServerState;
  /** Whether the answer is in the metrics. */
  noted = false;
  /** Only `/v1` requests have one. */
  quota: Quota | undefined = undefined;
  /** The id of its key, once that was found to be good. */
  keyId: string | undefined = undefined;

  hosts = 0;
  host = '';
  authorizations = 0;
  authorization = '';
  apiKeys = 0;
  apiKey = '';
  ifNoneMatch: string | undefined = undefined;
  acceptEncoding: string | undefined = undefined;
  forwardedFor = '';

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    id: string,
    startedAt: number,
    metrics: RouteMetrics,
    server: ServerState,
  ) {
    this.req = req;
    this.res = res;
    this.id = id;
    this.startedAt = startedAt;
    this.url = req.url ?? '/';
    this.metrics = metrics;
    this.server = server;
    this.#readHeaders(req.rawHeaders);
  }

  /**
   * One pass over the raw headers: it sees duplicates, which `req.headers` hides, and spares the
   * hot path the building of that object. The length is compared first since it rules most out.
   */
  #readHeaders(raw: readonly string[]): void {
    for (let i = 0; i < raw.length; i += 2) {
      const name = raw[i] as string;
      const value = raw[i + 1] as string;
      switch (name.length) {
        case 4:
          if (name === 'Host' || name.toLowerCase() === 'host') {
            this.hosts += 1;
            this.host = value;
          }
          break;
        case 9:
          if (name.toLowerCase() === 'x-api-key') {
            this.apiKeys += 1;
            this.apiKey = value;
          }
          break;
        case 13:
          this.#readLength13(name.toLowerCase(), value);
          break;
        case 15:
          this.#readLength15(name.toLowerCase(), value);
          break;
        default:
      }
    }
  }

  #readLength13(name: string, value: string): void {
    if (name === 'authorization') {
      this.authorizations += 1;
      this.authorization = value;
    } else if (name === 'if-none-match') {
      this.ifNoneMatch = joined(this.ifNoneMatch, value);
    }
  }

  #readLength15(name: string, value: string): void {
    if (name === 'accept-encoding') {
      this.acceptEncoding = joined(this.acceptEncoding, value);
    } else if (name === 'x-forwarded-for') {
      this.forwardedFor = this.forwardedFor === '' ? value : `${this.forwardedFor},${value}`;
    }
  }
}

/** A list header sent in several lines is one list. */
function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}

const EXCHANGE: unique symbol = Symbol('exchange');

/** Lets a handler behind the router find the exchange again. */
export function attach(exchange: Exchange): void {
  (exchange.req as IncomingMessage & { [EXCHANGE]?: Exchange })[EXCHANGE] = exchange;
}

/** @throws when the request did not come through the front */
export function exchangeOf(req: IncomingMessage): Exchange {
  const exchange = (req as IncomingMessage & { [EXCHANGE]?: Exchange })[EXCHANGE];
  if (exchange === undefined) throw new Error('the request has no exchange');
  return exchange;
}
