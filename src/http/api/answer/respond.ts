/** The only place that writes responses. Each header costs, so we send what the contract asks for. */

import {
  isForOperator,
  type Logger,
  OPERATOR_RETRY,
  RetryableError,
  UserError,
  wallSeconds,
} from '#base';
import { pushQuotaHeaders, type Quota, rateLimitText } from '#http/api/admission/quota';
import type { Exchange } from '#http/api/server/exchange';
import type { ContentEncoding } from '#http/negotiation';
import type { DataState } from './data-state.ts';
import { type ErrorBody, errorBody, PROBLEMS, type Problem, type ProblemCode } from './problems.ts';

const VARY = 'Authorization, X-API-Key, Accept-Encoding';
const EXPOSED =
  'ETag, Age, Reputation-Status, Reputation-Cursor, Fathom-Data, Fathom-As-Of, Retry-After, X-Request-Id, RateLimit-Policy, RateLimit, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Deprecation, Sunset, Link';

/** On every 200. */
const FIXED_LINES =
  `Content-Type: application/json\r\nVary: ${VARY}\r\nAccess-Control-Allow-Origin: *\r\n` +
  `Access-Control-Expose-Headers: ${EXPOSED}\r\n`;

/** On every response with demo data: name and value. */
export const DEMO_HEADER = ['Fathom-Data', 'demo'] as const;
const DEMO_LINE = `${DEMO_HEADER.join(': ')}\r\n`;

/** Methods that every resource supports. */
const ALLOWED = 'GET, HEAD, OPTIONS';

/** Sends a 200 under `/v1`. HEAD gets the same headers; Node omits the body. */
export function sendRecord(
  exchange: Exchange,
  body: string | Buffer,
  state: DataState,
  encoding: ContentEncoding | undefined,
): void {
  const { quota, id } = exchange;
  if (quota === undefined) throw new Error('a response under /v1 was not counted');
  const remaining = String(quota.remaining);
  let lines =
    `${FIXED_LINES}${quota.policy.lines}Content-Length: ${Buffer.byteLength(body)}\r\n` +
    `${state.lines}RateLimit: ${rateLimitText(quota, remaining)}\r\n` +
    `X-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${quota.resetsAt}\r\n` +
    `X-Request-Id: ${id}\r\n`;
  if (exchange.variesByAccept) lines += 'Vary: Accept\r\n';
  if (exchange.deprecation !== undefined) lines += exchange.deprecation.lines;
  if (exchange.server.isDemo) lines += DEMO_LINE;
  if (encoding !== undefined) lines += `Content-Encoding: ${encoding}\r\n`;
  writeHead(exchange, lines);
  end(exchange, 200, body);
}

/** Sends a 304 under `/v1`. */
export function sendNotModified(exchange: Exchange, state: DataState): void {
  const cacheControl = exchange.quota?.policy.cacheControl ?? 'no-store';
  const headers = [...state.headers, 'Cache-Control', cacheControl];
  pushCommon(headers, exchange.id, exchange.quota);
  if (exchange.variesByAccept) headers.push('Vary', 'Accept');
  send(exchange, 304, headers);
}

/** Starts a stream of server-sent events under `/v1`. */
export function startStream(exchange: Exchange, freshness: readonly string[]): void {
  const headers = ['Content-Type', 'text/event-stream', 'Cache-Control', 'no-store'];
  // nginx would collect events before passing them on.
  headers.push('X-Accel-Buffering', 'no', ...freshness);
  pushCommon(headers, exchange.id, exchange.quota);
  headers.push('Vary', 'Accept');
  const { res, server, metrics, startedAt } = exchange;
  if (server.isDemo) headers.push(...DEMO_HEADER);
  res.writeHead(200, headers);
  res.flushHeaders();
  exchange.noted = true;
  metrics.observe(200, (performance.now() - startedAt) / 1000);
}

/** Answers OPTIONS, including CORS preflights. */
export function sendOptions(exchange: Exchange): void {
  const headers = ['Allow', ALLOWED];
  headers.push('Access-Control-Allow-Methods', ALLOWED);
  headers.push(
    'Access-Control-Allow-Headers',
    'Accept, Authorization, Cache-Control, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Unmodified-Since, Last-Event-ID, X-API-Key, traceparent, tracestate',
  );
  headers.push('Access-Control-Max-Age', '86400');
  pushCommon(headers, exchange.id, exchange.quota);
  send(exchange, 204, headers);
}

/** Answers OPTIONS on a page. */
export function sendMethods(exchange: Exchange, allow: string): void {
  const headers = ['Allow', allow];
  pushCommon(headers, exchange.id, undefined);
  send(exchange, 204, headers);
}

/**
 * Sends an error. If a response has already started, all we can do is close the connection.
 * @param more extra headers, alternating names and values
 */
export function sendProblemDetails(
  exchange: Exchange,
  problem: Problem,
  more: readonly string[] = [],
): void {
  if (exchange.res.headersSent) {
    exchange.res.destroy();
    return;
  }
  const { url, id, req, server } = exchange;
  const body = errorBody(problem, { url, id, headers: req.headers }, server.errorPage);
  const { status } = PROBLEMS[problem.code];
  const headers = problemHeaders(problem, body, exchange.id, exchange.quota);
  headers.push(...more);
  send(exchange, status, headers, body.text);
}

/** The headers of an error, except `Connection`. */
export function problemHeaders(
  problem: Problem,
  body: ErrorBody,
  requestId: string,
  quota: Quota | undefined,
): string[] {
  const length = String(Buffer.byteLength(body.text));
  const headers = [...body.headers, 'Content-Length', length, 'Cache-Control', 'no-store'];
  if (problem.retryAfter !== undefined) headers.push('Retry-After', String(problem.retryAfter));
  if (problem.code === 'method-not-allowed') headers.push('Allow', problem.allow ?? ALLOWED);
  if (problem.code === 'invalid-api-key') {
    headers.push('WWW-Authenticate', 'Bearer error="invalid_token"');
  }
  pushCommon(headers, requestId, quota);
  return headers;
}

function pushCommon(headers: string[], requestId: string, quota: Quota | undefined): void {
  headers.push('Vary', VARY);
  if (quota !== undefined) pushQuotaHeaders(headers, quota);
  headers.push(
    'X-Request-Id',
    requestId,
    'Access-Control-Allow-Origin',
    '*',
    'Access-Control-Expose-Headers',
    EXPOSED,
  );
}

/** Writes a response and records it in the metrics. @param headers alternating names and values */
export function send(
  exchange: Exchange,
  status: number,
  headers: string[],
  body?: string | Buffer,
): void {
  const { res, server, deprecation } = exchange;
  if (deprecation !== undefined) headers.push(...deprecation.list);
  if (server.isDemo) headers.push(...DEMO_HEADER);
  // A connection kept alive would hold up the shutdown.
  if (server.draining) headers.push('Connection', 'close');
  res.writeHead(status, headers);
  end(exchange, status, body);
}

function end(exchange: Exchange, status: number, body: string | Buffer | undefined): void {
  const { res, server } = exchange;
  res.end(body);
  const unread = res.writableLength;
  if (unread > 0) server.unread.hold(server.clientOf(exchange), res, unread);
  exchange.noted = true;
  exchange.metrics.observe(status, (performance.now() - exchange.startedAt) / 1000);
}

/** Responds to a request whose handler threw. Unexpected errors reveal nothing to the client. */
export function sendError(exchange: Exchange, error: unknown, log: Logger): void {
  sendProblemDetails(exchange, problemOf(exchange, error, log));
}

function problemOf(exchange: Exchange, error: unknown, log: Logger): Problem {
  const where = { requestId: exchange.id, route: exchange.metrics.template };
  if (error instanceof UserError && error.code in PROBLEMS) {
    const code = error.code as ProblemCode;
    return { code, detail: error.message, faults: faultsOf(error) };
  }
  if (error instanceof RetryableError) {
    // The message is for the operator only: it may name files and hosts.
    exchange.server.refusals.add(error, where.route);
    return unavailable(error.retryAfter);
  }
  if (isForOperator(error)) {
    exchange.server.refusals.add(error, where.route, 'error');
    return unavailable(OPERATOR_RETRY);
  }
  log.error({ ...where, err: error }, 'a request failed');
  return {
    code: 'internal',
    detail:
      'Something went wrong on our side. If it keeps happening, report it with the requestId.',
  };
}

function unavailable(retryAfter: number): Problem {
  return {
    code: 'data-unavailable',
    detail: 'Data is unavailable right now. Try again in a moment.',
    retryAfter: Math.max(1, Math.ceil(retryAfter)),
  };
}

/** The address and chain are parameters too, though their errors come from core. */
function faultsOf(error: UserError): UserError['faults'] {
  if (error.faults.length > 0) return error.faults;
  if (error.code === 'invalid-address') return [{ parameter: 'address', message: error.message }];
  if (error.code === 'chain-mismatch') return [{ parameter: 'chain', message: error.message }];
  return [];
}

/** Where Node keeps the response head until it sends it with the first bytes of the body; its types don't show it. */
interface WithHead {
  _header: string | null;
}

/**
 * Starts a 200 with prebuilt header lines. Node validates and joins headers one by one, which costs
 * a tenth of a request; we write every character of these ourselves, so there is nothing to
 * validate. For connections that will close we use Node's own way, because Node tracks that.
 * @param lines `Name: value\r\n` each; no part may contain line breaks from outside
 */
function writeHead({ req, res, server }: Exchange, lines: string): void {
  if (res.shouldKeepAlive && req.httpVersionMinor === 1 && !server.draining) {
    (res as unknown as WithHead)._header =
      `HTTP/1.1 200 OK\r\n${lines}${dateLine()}${server.keptLines}`;
    return;
  }
  const headers = lines.split('\r\n').flatMap((line) => {
    const colon = line.indexOf(': ');
    return colon < 0 ? [] : [line.slice(0, colon), line.slice(colon + 2)];
  });
  if (server.draining) headers.push('Connection', 'close');
  res.writeHead(200, headers);
}

/** Idle seconds between requests on a connection: slightly more than the usual 60 of load balancers. */
export const KEEP_ALIVE = 65;

/** @param seconds for which an idle connection stays open */
export function keptLines(seconds: number): string {
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`;
}

let dateSecond = 0;
let dateText = '';

/** Cached for the current second. */
function dateLine(): string {
  const second = wallSeconds();
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
  }
  return dateText;
}
