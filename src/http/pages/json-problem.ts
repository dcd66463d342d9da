import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UserErrorCode } from '#base';

/** Errors of pages' endpoints; codes shared with `/v1` mean the same. */
const PROBLEMS = {
  'bad-request': { status: 400, title: 'Malformed request' },
  'invalid-address': { status: 400, title: 'Not a wallet address' },
  'unknown-parameter': { status: 400, title: 'Unknown parameter' },
  'duplicate-parameter': { status: 400, title: 'Duplicate parameter' },
  'invalid-parameter': { status: 400, title: 'Invalid parameter' },
  'cross-site': { status: 403, title: 'Not from this page' },
  'link-tries': { status: 403, title: 'Too many attempts' },
  'wallet-not-found': { status: 404, title: 'Wallet not found' },
  'link-taken': { status: 409, title: 'Opened by another browser' },
  'link-nothing': { status: 409, title: 'Nothing to sign' },
  'text-replaced': { status: 409, title: 'The text was replaced' },
  'link-expired': { status: 410, title: 'Link expired' },
  'precondition-failed': { status: 412, title: 'Precondition failed' },
  'body-too-large': { status: 413, title: 'Body too large' },
  'unsupported-media-type': { status: 415, title: 'Not JSON' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  'data-unavailable': { status: 503, title: 'Data unavailable' },
} as const;

/** Other user errors, without a status above. */
const NOT_ACCEPTED = { status: 422, title: 'Not accepted' } as const;

export type PageProblemCode = keyof typeof PROBLEMS | UserErrorCode;

/** Headers of every response to a page. */
export const ANSWER_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** The registered type for exceeded limits, as in `/v1`; the others' titles say everything. */
const QUOTA_EXCEEDED = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

/** The ID that is in the response, and in the log of a bug. */
export function requestIdOf(reply: FastifyReply): string {
  return String(reply.getHeader('X-Request-Id') ?? '');
}

/**
 * Responds with an RFC 9457 problem, in the format of `/v1`.
 * @param sentence for the reader, in their language, if the page has no text of its own
 */
export function sendJsonProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  code: PageProblemCode,
  detail: string,
  sentence?: string,
): FastifyReply {
  const { status, title } = statusOf(code);
  const [instance] = request.url.split('?', 1);
  const body = {
    type: code === 'rate-limited' ? QUOTA_EXCEEDED : 'about:blank',
    title,
    status,
    detail,
    instance,
    code,
    sentence,
    requestId: requestIdOf(reply),
  };
  return (
    reply
      .code(status)
      .headers({ 'Content-Type': 'application/problem+json', ...ANSWER_HEADERS })
      // As bytes: for strings the server would add a charset, which JSON doesn't have.
      .send(Buffer.from(JSON.stringify(body)))
  );
}

export function statusOf(code: PageProblemCode): {
  readonly status: number;
  readonly title: string;
} {
  return code in PROBLEMS ? PROBLEMS[code as keyof typeof PROBLEMS] : NOT_ACCEPTED;
}
