import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  ANSWER_HEADERS,
  type PageProblemCode,
  requestIdOf,
  sendJsonProblem,
  statusOf,
} from './json-problem.ts';
import { errorAnswer } from './public/error-page.ts';

/**
 * Responds with an RFC 9457 problem, in the format of `/v1`, or with a page to a browser that opens one.
 * @param sentence for the reader, in their language, if the page has no text of its own
 */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  code: PageProblemCode,
  detail: string,
  sentence?: string,
): FastifyReply {
  const requestId = requestIdOf(reply);
  const retryAfter = Number(reply.getHeader('Retry-After')) || undefined;
  const page = errorAnswer(request, { code, retryAfter, requestId });
  if (page === undefined) return sendJsonProblem(request, reply, code, detail, sentence);
  return reply
    .code(statusOf(code).status)
    .headers({ ...page.headers, ...ANSWER_HEADERS })
    .send(page.html);
}
