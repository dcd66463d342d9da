import type { IncomingHttpHeaders } from 'node:http';
import type { ParameterFault } from '#base';
import { isUnderV1 } from '#http/api/routes/paths';

/** One kind of error: what it means and how to fix it. The docs page shows both. */
interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
}

/** All error codes of the API, by status. */
export const PROBLEMS = {
  'invalid-address': {
    status: 400,
    title: 'Not a wallet address',
    meaning: 'The address has an unknown format, a wrong checksum, or invalid percent-encoding.',
    remedy:
      'Copy the address again. A mixed-case Ethereum address must have a valid EIP-55 checksum; on the other chains, addresses are case-sensitive.',
  },
  'chain-mismatch': {
    status: 400,
    title: 'Address belongs to another chain',
    meaning: 'The address is valid, but not on the chain given in `chain`.',
    remedy: 'Omit `chain` to detect it from the address, or use the chain named in `detail`.',
  },
  'invalid-parameter': {
    status: 400,
    title: 'Invalid parameter',
    meaning: 'A parameter has an invalid value.',
    remedy: 'See `errors`: it lists each parameter and what it accepts.',
  },
  'unknown-parameter': {
    status: 400,
    title: 'Unknown parameter',
    meaning:
      'The resource has no parameter of this name, so the response might not be what you want.',
    remedy: 'Check the spelling. `errors` lists the parameters that exist.',
  },
  'duplicate-parameter': {
    status: 400,
    title: 'Duplicate parameter',
    meaning: 'A parameter occurs more than once, and picking one would be a guess.',
    remedy: 'Send each parameter once.',
  },
  'bad-request': {
    status: 400,
    title: 'Malformed request',
    meaning: "The request isn't valid HTTP, or it doesn't have exactly one valid Host header.",
    remedy: 'Check what your client actually sends. Any common HTTP library gets this right.',
  },
  'invalid-api-key': {
    status: 401,
    title: 'Invalid API key',
    meaning: 'The key is mistyped, unknown or revoked, or the header is malformed.',
    remedy:
      'Send one key as `Authorization: Bearer …` or `X-API-Key: …`. Without a key the public limit applies; an invalid key is never treated as no key.',
  },
  'wallet-not-found': {
    status: 404,
    title: 'Wallet not found',
    meaning: 'The address is valid, but the wallet has no activity.',
    remedy:
      'The request is fine. A wallet whose score fell to zero is still found; this one has no activity yet.',
  },
  'route-not-found': {
    status: 404,
    title: 'Resource not found',
    meaning:
      "No resource exists at this path, or the upstream that this instance reads from doesn't have it.",
    remedy:
      'Compare the path with the resources on this page. Case, double slashes and trailing slashes matter.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The resource is read-only.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    meaning: 'The headers did not arrive within 5 seconds, or the whole request within 10.',
    remedy: 'Send the request at once, over a new connection.',
  },
  'cursor-gone': {
    status: 410,
    title: 'Cursor gone',
    meaning:
      "The cursor's commit is no longer known (after a restored backup or a failover), or the changes after it are no longer kept. In a list of activities: the wallet doesn't have that activity.",
    remedy:
      'Read the leaderboard again, then continue without `after`, or with `after=0` for the oldest change that is kept. Read a list of activities again without `after`.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition failed',
    meaning: 'A condition of the request, `If-Match` or `If-Unmodified-Since`, is false.',
    remedy:
      'Send the request without it. ETags here are weak and never match in `If-Match`; use `If-None-Match` to ask whether data has changed.',
  },
  'uri-too-long': {
    status: 414,
    title: 'URI too long',
    meaning: 'Path and query together exceed 2,048 characters, or 8,192 for a list of addresses.',
    remedy: 'No request to this API needs that many. Check what your client adds.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    meaning:
      'You have used up the limit for this minute, opened too many streams, or sent too many wrong keys from this address.',
    remedy: 'Wait the number of seconds in `Retry-After`. A free API key raises the limit.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Headers too large',
    meaning: 'The headers exceed 16 KiB.',
    remedy: "Send fewer or shorter headers. Cookies are the usual cause and aren't needed here.",
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'Something went wrong on our side, and it has been logged.',
    remedy: 'Try again later. If it keeps happening, report it with the `requestId`.',
  },
  'data-unavailable': {
    status: 503,
    title: 'Data unavailable',
    meaning: 'Data is unavailable right now, and no response is better than a wrong one.',
    remedy: 'Try again after the number of seconds in `Retry-After`.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEMS;

/** An error response. */
export interface Problem {
  readonly code: ProblemCode;
  /** For people: what is wrong with this request and how to fix it. */
  readonly detail: string;
  readonly faults?: readonly ParameterFault[];
  /** Seconds. */
  readonly retryAfter?: number;
  /** Methods, for `method-not-allowed`. */
  readonly allow?: string;
  /** Names of the rate limits that were exceeded. */
  readonly violatedPolicies?: readonly string[];
}

export function walletNotFound() {
  return {
    code: 'wallet-not-found',
    detail: 'This address is valid, but the wallet has no activity here.',
  } as const satisfies Problem;
}

export function routeNotFound(): Problem {
  return {
    code: 'route-not-found',
    detail: 'No resource exists at this path. See /docs for a list.',
  };
}

export function methodNotAllowed(method: string | undefined): Problem {
  return {
    code: 'method-not-allowed',
    detail: `${method ?? 'This method'} isn't supported: this resource is read-only. Use GET.`,
  };
}

/** The registered type for exceeded limits; all others link to their section on the docs page. */
const QUOTA_EXCEEDED = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

export function problemType(code: ProblemCode): string {
  return code === 'rate-limited' ? QUOTA_EXCEEDED : `/docs#${code}`;
}

/** The RFC 9457 body. */
export function problemBody(problem: Problem, url: string, requestId: string): string {
  const { status, title } = PROBLEMS[problem.code];
  return JSON.stringify({
    type: problemType(problem.code),
    title,
    status,
    detail: problem.detail,
    instance: instanceOf(url),
    code: problem.code,
    requestId,
    ...(problem.faults && problem.faults.length > 0 ? { errors: problem.faults } : {}),
    // Defined by the registered problem type.
    ...(problem.violatedPolicies ? { 'violated-policies': problem.violatedPolicies } : {}),
  });
}

/** Longer paths are truncated. */
const INSTANCE_MAX = 256;

/**
 * The path as a valid URI reference, without the query, which may contain a secret. A path that
 * starts with `//` would parse as a host, so it gets a dot segment.
 */
function instanceOf(url: string): string {
  const [path = '/'] = url.split(/[?#]/, 1);
  const valid = path
    .slice(0, INSTANCE_MAX)
    .replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/g, percentEncode);
  return valid.startsWith('//') ? `/.${valid}` : valid;
}

function percentEncode(character: string): string {
  const code = character.charCodeAt(0) & 0xff;
  return `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** A request that failed, whether or not it could be parsed. */
interface RefusedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Path and query. */
  readonly url: string;
  /** The ID in its response. */
  readonly id: string;
}

/** @returns an error as a page, for a browser that opens one; undefined for all other clients */
export type RenderErrorPage = (
  request: Pick<RefusedRequest, 'headers' | 'url'>,
  problem: {
    readonly code: string;
    /** Seconds. */
    readonly retryAfter: number | undefined;
    readonly requestId: string;
  },
) => { readonly headers: Readonly<Record<string, string>>; readonly html: string } | undefined;

/** The body of an error, with the headers that describe it: alternating names and values. */
export interface ErrorBody {
  readonly text: string;
  readonly headers: readonly string[];
}

const JSON_HEADERS = ['Content-Type', 'application/problem+json'];

/** JSON, or a page outside of `/v1` for who prefers one. */
export function errorBody(
  problem: Problem,
  { url, headers, id }: RefusedRequest,
  renderPage: RenderErrorPage | undefined,
): ErrorBody {
  const { code, retryAfter } = problem;
  const page = isUnderV1(url)
    ? undefined
    : renderPage?.({ headers, url }, { code, retryAfter, requestId: id });
  return page === undefined
    ? { text: problemBody(problem, url, id), headers: JSON_HEADERS }
    : { text: page.html, headers: Object.entries(page.headers).flat() };
}

/** The problem for a path with invalid percent-encoding. */
export function badEncoding(url: string): Problem {
  const message = 'A percent sign must start a valid UTF-8 encoding, such as %20.';
  return /^\/v1\/(?:reputation|badges|activity)\//.test(url)
    ? {
        code: 'invalid-address',
        detail: `The address is not encoded correctly. ${message}`,
        faults: [{ parameter: 'address', message }],
      }
    : { code: 'bad-request', detail: `The path is not encoded correctly. ${message}` };
}
