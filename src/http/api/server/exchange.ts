import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MaybePromise } from '#base';
import type { RefusalLog } from '#base/process';
import type { Quota } from '#http/api/admission/quota';
import type { RenderErrorPage } from '#http/api/answer/problems';
import type { DeprecationHeaders } from '#http/api/routes/route';
import type { UnreadResponses } from './connection-guards.ts';
import type { RouteMetrics } from './metrics.ts';

/** State shared by all requests of a server. */
export interface ServerState {
  /** Set once the server is stopping: responses then close their connections. */
  draining: boolean;
  readonly unread: UnreadResponses;
  /** Logs requests that found the data unavailable. */
  readonly refusals: RefusalLog;
  /** Header lines that end the head of a response whose connection stays open. */
  readonly keptLines: string;
  /** Whether this instance serves demo data. */
  readonly isDemo: boolean;
  /** Undefined: all errors are JSON. */
  readonly errorPage: RenderErrorPage | undefined;
  /** Identifies the client: the id of its key if that is valid, or its address. */
  readonly clientOf: (exchange: Exchange) => string;
  /** Whether the key that it was admitted with wasn't revoked since, as far as is known. */
  readonly isStillAdmitted: (exchange: Exchange) => MaybePromise<boolean>;
}

/**
 * One request, its response and what we know about both so far. The pipeline creates it before
 * routing, so the response carries its headers wherever it ends.
 */
export class Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Our own id; we neither trust nor echo one that the client sends. */
  readonly id: string;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  /** The request target as normalized by `normalizeTarget`: path and query. */
  url: string;
  metrics: RouteMetrics;
  readonly server: ServerState;
  /** Whether the response is in the metrics. */
  noted = false;
  /** Requests that it counts as, all or nothing; undefined for what counts as one. */
  bulkCost: number | undefined = undefined;
  /** Set for `/v1` requests only. */
  quota: Quota | undefined = undefined;
  /** Set for deprecated resources only. */
  deprecation: DeprecationHeaders | undefined = undefined;
  /** Whether the response depends on `Accept`. */
  variesByAccept = false;
  /** The id of its API key, once validated. */
  keyId: string | undefined = undefined;

  hosts = 0;
  host = '';
  authorizations = 0;
  authorization = '';
  apiKeys = 0;
  apiKey = '';
  /** Whether it has any of the conditional fields below. */
  isConditional = false;
  ifMatch: string | undefined = undefined;
  ifNoneMatch: string | undefined = undefined;
  ifModifiedSince: string | undefined = undefined;
  ifUnmodifiedSince: string | undefined = undefined;
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
   * One pass over the raw headers: it sees duplicates, which `req.headers` hides, and saves the hot
   * path building that object. Comparing lengths first rules most headers out.
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
        case 8:
          if (name.toLowerCase() === 'if-match') {
            this.ifMatch = joined(this.ifMatch, value);
            this.isConditional = true;
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
        case 17:
          if (name.toLowerCase() === 'if-modified-since') {
            this.ifModifiedSince = joined(this.ifModifiedSince, value);
            this.isConditional = true;
          }
          break;
        case 19:
          if (name.toLowerCase() === 'if-unmodified-since') {
            this.ifUnmodifiedSince = joined(this.ifUnmodifiedSince, value);
            this.isConditional = true;
          }
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
      this.isConditional = true;
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

/** A list header sent as several lines is one list. */
function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}

const EXCHANGE: unique symbol = Symbol('exchange');

/** Attaches the exchange to its request, for handlers behind the router. */
export function attach(exchange: Exchange): void {
  (exchange.req as IncomingMessage & { [EXCHANGE]?: Exchange })[EXCHANGE] = exchange;
}

/** @throws if the request did not come through the pipeline */
export function exchangeOf(req: IncomingMessage): Exchange {
  const exchange = (req as IncomingMessage & { [EXCHANGE]?: Exchange })[EXCHANGE];
  if (exchange === undefined) throw new Error('the request has no exchange');
  return exchange;
}
