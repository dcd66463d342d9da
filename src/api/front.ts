import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '#core/logger';
import { attach, Exchange, type ServerState } from './exchange.ts';
import { fail } from './failure.ts';
import type { Gate } from './gate.ts';
import type { Metrics, RouteMetrics } from './metrics.ts';
import { badEncoding, isUnderV1, type PathTable, URL_MAX } from './paths.ts';
import { methodNotAllowed, type Problem, routeNotFound } from './problems.ts';
import { normalizeTarget } from './request-target.ts';
import { refuse, sendOptions } from './respond.ts';

interface Parts {
  readonly gate: Gate;
  readonly paths: PathTable;
  readonly metrics: Metrics;
  readonly state: ServerState;
  readonly log: Logger;
  /** Hands a request to the router. */
  route(req: IncomingMessage, res: ServerResponse): void;
}

/** Whoever asks for these may share an address with somebody who doesn't read. */
const PROBES = new Set(['/livez', '/readyz']);

/** Ids that nobody outside can guess or choose: a random beginning for each process, then a count. */
export function createRequestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count}`;
  };
}

/**
 * What every request meets before the router: it gets its id, and under `/v1` it is counted and
 * gets its limits, so that no way of ending misses them. Then what no route should have to look at
 * is refused.
 */
export class Front {
  readonly #parts: Parts;
  readonly #unmatched: RouteMetrics;
  readonly #nextId: () => string;
  #goodHost = '';

  constructor(parts: Parts, nextId: () => string) {
    this.#parts = parts;
    this.#unmatched = parts.metrics.route('unmatched');
    this.#nextId = nextId;
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    const { gate, state, log } = this.#parts;
    const startedAt = performance.now();
    const exchange = new Exchange(req, res, this.#nextId(), startedAt, this.#unmatched, state);
    try {
      takeNormalTarget(exchange);
      const admitted = isUnderV1(exchange.url) ? gate.admit(exchange) : undefined;
      if (admitted instanceof Promise) {
        admitted
          .then((problem) => this.#proceed(exchange, problem))
          .catch((error: unknown) => fail(exchange, error, log));
      } else {
        this.#proceed(exchange, admitted);
      }
    } catch (error) {
      fail(exchange, error, log);
    }
  }

  #proceed(exchange: Exchange, refusal: Problem | undefined): void {
    const problem = refusal ?? this.#faultOf(exchange);
    if (problem !== undefined) {
      refuse(exchange, problem);
      return;
    }
    const { unread, clientOf } = this.#parts.state;
    if (!unread.any || PROBES.has(exchange.url)) this.#answer(exchange);
    else
      unread.whenRead(clientOf(exchange), exchange.req.socket, () => this.#answerLater(exchange));
  }

  #answerLater(exchange: Exchange): void {
    try {
      this.#answer(exchange);
    } catch (error) {
      fail(exchange, error, this.#parts.log);
    }
  }

  #answer(exchange: Exchange): void {
    const { req, res, url } = exchange;
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (!isRead && this.#answerOtherMethod(exchange)) return;
    // The router takes the first character for a slash, whatever it is.
    if (!url.startsWith('/')) {
      refuse(exchange, routeNotFound());
      return;
    }
    attach(exchange);
    this.#parts.route(req, res);
  }

  /** Faults of the request itself, whatever it asks for. */
  #faultOf(exchange: Exchange): Problem | undefined {
    if (exchange.url.length > URL_MAX) {
      return {
        code: 'uri-too-long',
        detail: `Path and query have ${exchange.url.length} characters; ${URL_MAX} are the most.`,
      };
    }
    if (exchange.hosts === 1 && exchange.host === this.#goodHost) return undefined;
    return this.#hostFaultOf(exchange);
  }

  #hostFaultOf(exchange: Exchange): Problem | undefined {
    const { hosts, host, req } = exchange;
    if (hosts === 0 && req.httpVersionMinor === 0) return undefined;
    if (hosts !== 1) {
      const detail = `The request has ${hosts} Host headers; it must have exactly one.`;
      return { code: 'bad-request', detail };
    }
    if (!/^[A-Za-z0-9.\-_~:[\]%]*$/.test(host)) {
      return { code: 'bad-request', detail: 'The Host header names no host.' };
    }
    this.#goodHost = host;
    return undefined;
  }

  /**
   * OPTIONS and 405 on paths of the API, before a router would read a body for them. Other paths
   * are left to the router, where other rooms may accept any method.
   */
  #answerOtherMethod(exchange: Exchange): boolean {
    const { url, req } = exchange;
    if (url === '*' && req.method === 'OPTIONS') {
      sendOptions(exchange);
      return true;
    }
    const found = this.#parts.paths.find(url);
    if (found.kind === 'bad-encoding') refuse(exchange, badEncoding(url));
    else if (found.kind === 'none') {
      if (!isUnderV1(url)) return false;
      refuse(exchange, routeNotFound());
    } else {
      exchange.metrics = this.#parts.metrics.route(found.template);
      if (req.method === 'OPTIONS') sendOptions(exchange);
      else refuse(exchange, methodNotAllowed(req.method));
    }
    return true;
  }
}

/** The router reads the request's own target, so it is replaced there too. */
function takeNormalTarget(exchange: Exchange): void {
  const { req, url } = exchange;
  const normal = normalizeTarget(url);
  if (normal === url) return;
  exchange.url = normal;
  req.url = normal;
}
