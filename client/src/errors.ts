import { type Freshness, freshnessOf } from './freshness.ts';
import type { Problem, ProblemCode } from './types.ts';
import { retryAfterOf } from './waiting.ts';

/** An error response; `message` says how to fix it. Each code has its own class. */
export class FathomError extends Error {
  override readonly name: string = 'FathomError';
  /** Stable. A newer server may send codes that this client doesn't know. */
  readonly code: string;
  readonly status: number;
  /** Identifies the request to the people who run the server. */
  readonly requestId: string | undefined;
  /** The invalid parameters, and what each accepts. */
  readonly errors: readonly { readonly parameter: string; readonly message: string }[];
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | undefined;
  /** As of every result: a wallet that isn't found while either is true may have activity all the same. */
  readonly stale: boolean;
  readonly partial: boolean;

  constructor(
    problem: Partial<Problem> & { status: number },
    retryAfter?: number,
    { stale, partial }: Freshness = { stale: false, partial: false },
  ) {
    super(problem.detail ?? problem.title ?? `The server answered with ${problem.status}.`);
    this.code = problem.code ?? 'unexpected-response';
    this.status = problem.status;
    this.requestId = problem.requestId;
    this.errors = problem.errors ?? [];
    this.retryAfter = retryAfter;
    this.stale = stale;
    this.partial = partial;
  }
}

export class InvalidAddressError extends FathomError {
  override readonly name = 'InvalidAddressError';
}
export class ChainMismatchError extends FathomError {
  override readonly name = 'ChainMismatchError';
}
export class InvalidParameterError extends FathomError {
  override readonly name = 'InvalidParameterError';
}
export class UnknownParameterError extends FathomError {
  override readonly name = 'UnknownParameterError';
}
export class DuplicateParameterError extends FathomError {
  override readonly name = 'DuplicateParameterError';
}
export class BadRequestError extends FathomError {
  override readonly name = 'BadRequestError';
}
export class InvalidApiKeyError extends FathomError {
  override readonly name = 'InvalidApiKeyError';
}
/** The address is valid, but the wallet has no activity. */
export class WalletNotFoundError extends FathomError {
  override readonly name = 'WalletNotFoundError';
}
/** The server, or the upstream it reads from, doesn't have this resource. */
export class RouteNotFoundError extends FathomError {
  override readonly name = 'RouteNotFoundError';
}
export class MethodNotAllowedError extends FathomError {
  override readonly name = 'MethodNotAllowedError';
}
export class RequestTimeoutError extends FathomError {
  override readonly name = 'RequestTimeoutError';
}
/**
 * The server no longer knows what followed the cursor: read the leaderboard again, then go on without a cursor.
 */
export class CursorGoneError extends FathomError {
  override readonly name = 'CursorGoneError';
}
export class UriTooLongError extends FathomError {
  override readonly name = 'UriTooLongError';
}
/** The rate limit is exceeded for longer than the client may wait. */
export class RateLimitedError extends FathomError {
  override readonly name = 'RateLimitedError';
}
export class HeadersTooLargeError extends FathomError {
  override readonly name = 'HeadersTooLargeError';
}
export class InternalError extends FathomError {
  override readonly name = 'InternalError';
}
export class DataUnavailableError extends FathomError {
  override readonly name = 'DataUnavailableError';
}

/** A condition of the request, `If-Match` or `If-Unmodified-Since`, is false. */
export class PreconditionFailedError extends FathomError {
  override readonly name = 'PreconditionFailedError';
}

/** The server couldn't be reached, or didn't respond as Fathom does. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The class and the status of each code of the OpenAPI document; a new code without them is a compile error. */
const KINDS: Readonly<Record<ProblemCode, readonly [typeof FathomError, number]>> = {
  'invalid-address': [InvalidAddressError, 400],
  'chain-mismatch': [ChainMismatchError, 400],
  'invalid-parameter': [InvalidParameterError, 400],
  'unknown-parameter': [UnknownParameterError, 400],
  'duplicate-parameter': [DuplicateParameterError, 400],
  'bad-request': [BadRequestError, 400],
  'invalid-api-key': [InvalidApiKeyError, 401],
  'wallet-not-found': [WalletNotFoundError, 404],
  'route-not-found': [RouteNotFoundError, 404],
  'method-not-allowed': [MethodNotAllowedError, 405],
  'request-timeout': [RequestTimeoutError, 408],
  'cursor-gone': [CursorGoneError, 410],
  'precondition-failed': [PreconditionFailedError, 412],
  'uri-too-long': [UriTooLongError, 414],
  'rate-limited': [RateLimitedError, 429],
  'headers-too-large': [HeadersTooLargeError, 431],
  internal: [InternalError, 500],
  'data-unavailable': [DataUnavailableError, 503],
};

/**
 * The error with this status, of a response or of an item in a list. @param body parsed
 * @internal
 */
export function errorOf(
  body: unknown,
  status: number,
  retryAfter?: number,
  freshness?: Freshness,
): FathomError {
  const problem = { ...(isRecord(body) ? (body as Partial<Problem>) : {}), status };
  const { code } = problem;
  if (code === undefined || !Object.hasOwn(KINDS, code)) {
    return new FathomError(problem, retryAfter, freshness);
  }
  const [known, its] = KINDS[code];
  if (status === its) return new known(problem, retryAfter, freshness);
  // Somebody on the way has changed one of them: a failing gateway's "not found" says nothing about a wallet.
  const { code: _, ...rest } = problem;
  return new FathomError(rest, retryAfter, freshness);
}

/**
 * The error of a response without a 2xx status. @param body parsed
 * @internal
 */
export function errorIn({ status, headers }: Response, body: unknown): FathomError {
  const wait = retryAfterOf(headers);
  return errorOf(body, status, wait === undefined ? undefined : wait / 1000, freshnessOf(headers));
}

/** Whether asking again later may help: the limit, an unavailable server, a broken connection. */
export function isRetryable(error: unknown): error is FathomError | ConnectionError {
  if (error instanceof FathomError) return error.status === 429 || error.status >= 500;
  return error instanceof ConnectionError;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
