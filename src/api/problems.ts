import type { ParameterFault } from '#core/errors';

/** One kind of error: what it is and what whoever meets it can do. The page of docs shows both. */
interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
}

/** All error codes of the API, in the order of their status. */
export const PROBLEMS = {
  'invalid-address': {
    status: 400,
    title: 'Not a wallet address',
    meaning: 'The address has no known form, its checksum is wrong, or it is wrongly encoded.',
    remedy:
      'Copy the address again. An Ethereum address in mixed case must have its EIP-55 checksum; the other chains tell upper and lower case apart.',
  },
  'chain-mismatch': {
    status: 400,
    title: 'Address belongs to another chain',
    meaning: 'The address is right, but not on the chain that `chain` names.',
    remedy: 'Leave `chain` out to have it detected, or name the chain that the answer names.',
  },
  'invalid-parameter': {
    status: 400,
    title: 'Invalid parameter',
    meaning: 'A parameter has a value that it does not accept.',
    remedy: 'Read `errors`: it names each parameter and what it accepts.',
  },
  'unknown-parameter': {
    status: 400,
    title: 'Unknown parameter',
    meaning:
      'The resource has no parameter of this name, so the answer might not be what you want.',
    remedy: 'Look for a typing error. `errors` names the parameters that are known.',
  },
  'duplicate-parameter': {
    status: 400,
    title: 'Parameter given twice',
    meaning: 'A parameter was given more than once, and which one counts would be a guess.',
    remedy: 'Give each parameter once.',
  },
  'bad-request': {
    status: 400,
    title: 'Malformed request',
    meaning: 'The request is not proper HTTP, or it does not have exactly one valid Host header.',
    remedy: 'Look at what your client really sends. A common HTTP library does it right.',
  },
  'invalid-api-key': {
    status: 401,
    title: 'API key refused',
    meaning: 'The key is mistyped, unknown or revoked, or it was sent in a way that is not known.',
    remedy:
      'Send one key as `Authorization: Bearer …` or `X-API-Key: …`. Without a key the public limit applies; a bad key is never treated as none.',
  },
  'wallet-not-found': {
    status: 404,
    title: 'Wallet never seen',
    meaning: 'The address is valid, but no activity of it was ever seen.',
    remedy:
      'Nothing is wrong with the request. A wallet that fell to zero is found; this one is new.',
  },
  'route-not-found': {
    status: 404,
    title: 'No such resource',
    meaning: 'Nothing lives at this path.',
    remedy:
      'Compare the path with the resources on this page. Case, double and trailing slashes are not corrected.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The resource can only be read.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request took too long',
    meaning: 'The headers did not arrive within 5 seconds, or the request not within 10.',
    remedy: 'Send the request in one go, over a new connection.',
  },
  'uri-too-long': {
    status: 414,
    title: 'Address line too long',
    meaning: 'Path and query together are longer than 2,048 characters.',
    remedy: 'No request to this API needs that many. Look at what your client puts in.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    meaning: 'The limit of this minute is used up, or too many wrong keys came from this address.',
    remedy: 'Wait for the seconds in `Retry-After`. A free API key raises the limit.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Headers too large',
    meaning: 'The headers are longer than 16 KiB.',
    remedy: 'Send fewer or shorter headers; cookies are the usual cause and are not needed here.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'Something went wrong on our side. It has been noted.',
    remedy: 'Try again later. If it stays, report it with the `requestId`.',
  },
  'data-unavailable': {
    status: 503,
    title: 'Data unavailable',
    meaning: 'The data cannot be read right now, and no answer is better than a wrong one.',
    remedy: 'Try again after the seconds in `Retry-After`.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEMS;

/** An answer that says what is wrong. */
export interface Problem {
  readonly code: ProblemCode;
  /** A sentence for people: what is wrong with this very request and what to do. */
  readonly detail: string;
  readonly faults?: readonly ParameterFault[];
  /** Seconds. */
  readonly retryAfter?: number;
  /** Methods, for `method-not-allowed`. */
  readonly allow?: string;
  /** Names of the rate limits that were exceeded. */
  readonly violatedPolicies?: readonly string[];
}

export function routeNotFound(): Problem {
  return {
    code: 'route-not-found',
    detail: 'Nothing lives at this path. /docs lists what does.',
  };
}

export function methodNotAllowed(method: string | undefined): Problem {
  return {
    code: 'method-not-allowed',
    detail: `${method ?? 'This method'} is not possible here: this can only be read. Use GET.`,
  };
}

/** The type registered for exceeded limits; all others lead to the page that explains them. */
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
    // A member that belongs to the registered type.
    ...(problem.violatedPolicies ? { 'violated-policies': problem.violatedPolicies } : {}),
  });
}

/** A path longer than this is shown by its beginning. */
const INSTANCE_MAX = 256;

/**
 * The path as a valid URI reference, without the query: somebody may have put a secret there.
 * A path that begins with `//` would read as a host, so it gets a dot segment.
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
