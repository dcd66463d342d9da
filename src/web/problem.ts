import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UserErrorCode } from '#core/errors';

/** What can be wrong with a request to a page's endpoint; codes that `/v1` has mean the same. */
const PROBLEMS = {
  'bad-request': { status: 400, title: 'Malformed request' },
  'invalid-address': { status: 400, title: 'Not a wallet address' },
  'cross-site': { status: 403, title: 'Not from this page' },
  'link-tries': { status: 403, title: 'Too many attempts' },
  'link-taken': { status: 409, title: 'Opened by another browser' },
  'link-nothing': { status: 409, title: 'Nothing to sign' },
  'text-replaced': { status: 409, title: 'Another text was given out' },
  'link-expired': { status: 410, title: 'Link expired' },
  'body-too-large': { status: 413, title: 'Body too large' },
  'unsupported-media-type': { status: 415, title: 'Not JSON' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  'data-unavailable': { status: 503, title: 'Data unavailable' },
} as const;

/** What the asker can mend, and has no status of its own above. */
const NOT_ACCEPTED = { status: 422, title: 'Not accepted' } as const;

type ProblemCode = keyof typeof PROBLEMS | UserErrorCode;

/** What every answer to a page's question has. */
export const ANSWER_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** The type registered for exceeded limits, as in `/v1`; the others say all in their title. */
const QUOTA_EXCEEDED = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

/**
 * Answers with an RFC 9457 problem of the form that `/v1` has.
 * @param sentence for the reader, in their language, where the page has none of its own
 */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  code: ProblemCode,
  detail: string,
  sentence?: string,
): FastifyReply {
  const { status, title } =
    code in PROBLEMS ? PROBLEMS[code as keyof typeof PROBLEMS] : NOT_ACCEPTED;
  const [instance] = request.url.split('?', 1);
  const body = {
    type: code === 'rate-limited' ? QUOTA_EXCEEDED : 'about:blank',
    title,
    status,
    detail,
    instance,
    code,
    sentence,
    requestId: reply.getHeader('X-Request-Id'),
  };
  return (
    reply
      .code(status)
      .headers({ 'Content-Type': 'application/problem+json', ...ANSWER_HEADERS })
      // As bytes: to a text the server would add a charset, which JSON has none of.
      .send(Buffer.from(JSON.stringify(body)))
  );
}
