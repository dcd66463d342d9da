import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { messageOf, RetryableError, UserError } from '#core/errors';
import type { Logger } from '#core/logger';
import type { MaybePromise } from '#core/maybe-promise';
import { type Guard, sameOriginOnly } from './guard.ts';
import { ANSWER_HEADERS, sendProblem } from './problem.ts';

export interface Endpoint<Asked> {
  readonly url: string;
  /** Bytes. */
  readonly bodyLimit: number;
  readonly limit: Guard;
  /** Looks again when the body has been read; it answers and returns true when it refuses. */
  readonly limitAsked?: (
    asked: Asked,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => MaybePromise<boolean>;
  /** Looks at a request that came to nothing, before that is told; undefined is a malformed body. */
  readonly limitFaults?: (
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => MaybePromise<boolean>;
  /** @returns a sentence that says what is wrong with the JSON body, or what was asked */
  readonly read: (body: unknown) => Asked | string;
  /** @throws UserError and RetryableError, which become problems */
  readonly answer: (asked: Asked, request: FastifyRequest, reply: FastifyReply) => Promise<object>;
}

/** Adds an endpoint for the page alone; it is checked and counted before its body is read. */
export function addEndpoint<Asked extends object>(
  scope: FastifyInstance,
  { url, bodyLimit, limit, limitAsked, limitFaults, read, answer }: Endpoint<Asked>,
): void {
  scope.route({
    method: 'POST',
    url,
    bodyLimit,
    async onRequest(request, reply) {
      if ((await sameOriginOnly(request, reply)) || (await limit(request, reply))) return reply;
    },
    async handler(request, reply) {
      const asked = read(request.body);
      if (typeof asked === 'string') {
        if (await limitFaults?.(undefined, request, reply)) return reply;
        return sendProblem(request, reply, 'bad-request', asked);
      }
      if (await limitAsked?.(asked, request, reply)) return reply;
      try {
        reply.headers(ANSWER_HEADERS);
        return await answer(asked, request, reply);
      } catch (error) {
        if (await limitFaults?.(error, request, reply)) return reply;
        throw error;
      }
    },
  });
}

/**
 * Answers errors of a page's endpoints in the page's own way.
 * @param sentenceFor what to tell the reader, in their language, of a fault that the page has no words for
 */
export function answerErrors(
  scope: FastifyInstance,
  log: Logger,
  sentenceFor?: (error: UserError, request: FastifyRequest) => string | undefined,
): void {
  scope.setErrorHandler((error: unknown, request, reply) => {
    // What the operator must mend says nothing to a reader.
    if (error instanceof UserError && error.code !== 'wrong-configuration') {
      return sendProblem(request, reply, error.code, error.message, sentenceFor?.(error, request));
    }
    if (error instanceof RetryableError) {
      // The message is for the operator: it may name files and hosts.
      log.warn(
        { reason: messageOf(error), path: request.routeOptions.url },
        'the data is unavailable',
      );
      reply.header('Retry-After', String(Math.max(1, Math.ceil(error.retryAfter))));
      const detail = 'Data is unavailable right now. Try again in a moment.';
      return sendProblem(request, reply, 'data-unavailable', detail);
    }
    return failed(error, request, reply, log);
  });
}

function failed(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): FastifyReply {
  const status = (error as { statusCode?: number } | undefined)?.statusCode ?? 500;
  if (status === 413) {
    const detail = `The body can have at most ${request.routeOptions.bodyLimit} bytes.`;
    return sendProblem(request, reply, 'body-too-large', detail);
  }
  if (status === 415) {
    return sendProblem(request, reply, 'unsupported-media-type', 'Send application/json.');
  }
  if (status >= 400 && status < 500) {
    return sendProblem(request, reply, 'bad-request', "The body isn't valid JSON.");
  }
  log.error({ err: error, path: request.routeOptions.url }, 'bug: a page failed');
  const detail =
    'Something went wrong on our side. If it keeps happening, report it with the requestId.';
  return sendProblem(request, reply, 'internal', detail);
}
