import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger, MaybePromise } from '#base';
import type { AdmissionControl } from '#http/api/admission/admission-control';
import {
  badEncoding,
  methodNotAllowed,
  type Problem,
  routeNotFound,
} from '#http/api/answer/problems';
import { sendError, sendMethods, sendOptions, sendProblemDetails } from '#http/api/answer/respond';
import {
  isUnderV1,
  maxLengthOf,
  normalizeTarget,
  type PageMethods,
  type PathTable,
} from '#http/api/routes/paths';
import { TimeSlices } from './connection-guards.ts';
import { attach, Exchange, type ServerState } from './exchange.ts';
import type { Metrics, RouteMetrics } from './metrics.ts';

interface Options {
  readonly admission: AdmissionControl;
  readonly paths: PathTable;
  readonly pages: PageMethods;
  /** Requests that the target counts as; undefined for one. */
  readonly costOf: (url: string) => number | undefined;
  readonly metrics: Metrics;
  readonly state: ServerState;
  readonly log: Logger;
  readonly logRequests: boolean | undefined;
  /** Passes a request to the router. */
  route(req: IncomingMessage, res: ServerResponse): void;
}

/** Probes must get through even if another client at the same address doesn't read its responses. */
const PROBES = new Set(['/livez', '/readyz']);

/** Request ids that clients can neither guess nor choose: a random prefix per process and a counter. */
export function createRequestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count}`;
  };
}

/**
 * What every request passes before the router: it gets an id, and under `/v1` it is counted against
 * its rate limit, so every response carries both. Then we reject what no route should have to check.
 */
export class RequestPipeline {
  readonly #options: Options;
  readonly #unmatched: RouteMetrics;
  /** Counts what was answered before its route was looked up: too many requests, a wrong key. */
  readonly #refused: RouteMetrics;
  readonly #nextId: () => string;
  readonly #slices = new TimeSlices();
  #goodHost = '';

  constructor(options: Options, nextId: () => string) {
    this.#options = options;
    this.#unmatched = options.metrics.route('unmatched');
    this.#refused = options.metrics.route('refused');
    this.#nextId = nextId;
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    const { state, log, logRequests } = this.#options;
    const startedAt = performance.now();
    const exchange = new Exchange(req, res, this.#nextId(), startedAt, this.#refused, state);
    if (logRequests === true) logWhenDone(exchange, log);
    try {
      takeNormalTarget(exchange);
      const admitted = isUnderV1(exchange.url) ? this.#admit(exchange) : undefined;
      if (admitted instanceof Promise) {
        admitted
          .then((problem) => this.#proceed(exchange, problem))
          .catch((error: unknown) => sendError(exchange, error, log));
      } else {
        this.#proceed(exchange, admitted);
      }
    } catch (error) {
      sendError(exchange, error, log);
    }
  }

  #admit(exchange: Exchange): MaybePromise<Problem | undefined> {
    const { admission, costOf } = this.#options;
    if (isRead(exchange.req)) exchange.bulkCost = costOf(exchange.url);
    return admission.admit(exchange);
  }

  #proceed(exchange: Exchange, refusal: Problem | undefined): void {
    const problem = refusal ?? this.#faultOf(exchange);
    const { unread, clientOf } = this.#options.state;
    const hasTime = this.#slices.hasTime(exchange.startedAt);
    // A refusal needs no room, but time: a thousand of them would hold everybody else up.
    const needsRoom = unread.any && problem === undefined;
    if ((hasTime && !needsRoom) || PROBES.has(exchange.url)) this.#answer(exchange, problem);
    else {
      const client = clientOf(exchange);
      const wait = () => this.#slices.wait(client, () => this.#answerLater(exchange, problem));
      if (needsRoom) unread.whenRead(client, exchange.req.socket, wait);
      else wait();
    }
  }

  #answerLater(exchange: Exchange, problem: Problem | undefined): void {
    if (exchange.req.socket.destroyed) return;
    try {
      this.#answer(exchange, problem);
    } catch (error) {
      sendError(exchange, error, this.#options.log);
    }
  }

  #answer(exchange: Exchange, problem: Problem | undefined): void {
    const { req, res, url } = exchange;
    if (problem !== undefined) {
      sendProblemDetails(exchange, problem);
      return;
    }
    exchange.metrics = this.#unmatched;
    if (!isRead(req) && this.#answerOtherMethod(exchange)) return;
    // The router assumes that the first character is a slash.
    if (!url.startsWith('/')) {
      sendProblemDetails(exchange, routeNotFound());
      return;
    }
    attach(exchange);
    this.#options.route(req, res);
  }

  /** Faults of the request itself, whatever its resource. */
  #faultOf(exchange: Exchange): Problem | undefined {
    const most = maxLengthOf(exchange.url);
    if (exchange.url.length > most) {
      return {
        code: 'uri-too-long',
        detail: `Path and query have ${exchange.url.length} characters; the maximum is ${most}.`,
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
      return { code: 'bad-request', detail: "The Host header isn't a valid host." };
    }
    this.#goodHost = host;
    return undefined;
  }

  /**
   * Answers OPTIONS and 405 on known paths before the router would read a body. Others go to the
   * router, where other modules may accept any method.
   */
  #answerOtherMethod(exchange: Exchange): boolean {
    const { url, req } = exchange;
    if (url === '*' && req.method === 'OPTIONS') {
      sendOptions(exchange);
      return true;
    }
    const found = this.#options.paths.find(url);
    if (found.kind === 'bad-encoding') sendProblemDetails(exchange, badEncoding(url));
    else if (found.kind === 'none') {
      if (!isUnderV1(url)) return this.#answerPageMethod(exchange);
      sendProblemDetails(exchange, routeNotFound());
    } else {
      exchange.metrics = this.#options.metrics.route(found.template);
      if (req.method === 'OPTIONS') sendOptions(exchange);
      else sendProblemDetails(exchange, methodNotAllowed(req.method));
    }
    return true;
  }

  #answerPageMethod(exchange: Exchange): boolean {
    const { url, req } = exchange;
    const found = this.#options.pages.find(url, req.method ?? '');
    if (found === undefined) return false;
    const { template, allow } = found;
    exchange.metrics = this.#options.metrics.route(template);
    if (req.method === 'OPTIONS') sendMethods(exchange, allow);
    else sendProblemDetails(exchange, { ...methodNotAllowed(req.method), allow });
    return true;
  }
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The router reads `req.url`, so replace it there too. */
function takeNormalTarget(exchange: Exchange): void {
  const { req, url } = exchange;
  const normal = normalizeTarget(url);
  if (normal === url) return;
  exchange.url = normal;
  req.url = normal;
}

/**
 * Logs a request at debug level once its connection is done with it. The route stands for the target, which
 * names wallets, and the kind of client for its address and its key.
 */
function logWhenDone(exchange: Exchange, log: Logger): void {
  const { req, res, startedAt } = exchange;
  const { socket } = req;
  // A connection's requests are answered one at a time.
  const before = socket.bytesWritten;
  res.once('close', () => {
    const { id, metrics, keyId } = exchange;
    log.debug(
      {
        ...{ requestId: id, method: req.method, route: metrics.template },
        ...{ status: res.statusCode, isComplete: res.writableFinished },
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        bytes: socket.bytesWritten - before,
        client: keyId === undefined ? 'public' : 'key',
      },
      'request',
    );
  });
}
