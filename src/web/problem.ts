import type { FastifyReply, FastifyRequest } from 'fastify';

/** What can be wrong with a request to a page's endpoint; codes that `/v1` has mean the same. */
const PROBLEMS = {
  'bad-request': { status: 400, title: 'Malformed request' },
  'cross-site': { status: 403, title: 'Not from this page' },
  'body-too-large': { status: 413, title: 'Body too large' },
  'unsupported-media-type': { status: 415, title: 'Not JSON' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
} as const;

type ProblemCode = keyof typeof PROBLEMS;

/** The type registered for exceeded limits, as in `/v1`; the others say all in their title. */
const QUOTA_EXCEEDED = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

/** Answers with an RFC 9457 problem of the form that `/v1` has. */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  code: ProblemCode,
  detail: string,
): FastifyReply {
  const { status, title } = PROBLEMS[code];
  const [instance] = request.url.split('?', 1);
  const body = {
    type: code === 'rate-limited' ? QUOTA_EXCEEDED : 'about:blank',
    title,
    status,
    detail,
    instance,
    code,
    requestId: reply.getHeader('X-Request-Id'),
  };
  return (
    reply
      .code(status)
      .headers({ 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' })
      // As bytes: to a text the server would add a charset, which JSON has none of.
      .send(Buffer.from(JSON.stringify(body)))
  );
}
