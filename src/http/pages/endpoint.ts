import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  isForOperator,
  type Logger,
  type MaybePromise,
  OPERATOR_RETRY,
  RetryableError,
  UserError,
} from '#base';
import { RefusalLog } from '#base/process';
import { type Guard, sameOriginOnly } from './guard.ts';
import { ANSWER_HEADERS, requestIdOf } from './json-problem.ts';
import { sendProblem } from './problem.ts';

export interface Endpoint<Body> {
  readonly url: string;
  /** Bytes. */
  readonly bodyLimit: number;
  readonly limit: Guard;
  /** Second check after the body was read; if it refuses, it responds and returns true. */
  readonly limitAsked?: (
    asked: Body,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => MaybePromise<boolean>;
  /** Sees a failed request before the response; undefined is a malformed body. */
  readonly limitFaults?: (
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => MaybePromise<boolean>;
  /** @returns an error message about the JSON body, or the parsed body */
  readonly read: (body: unknown) => Body | string;
  /** @throws UserError and RetryableError, which become problems */
  readonly answer: (asked: Body, request: FastifyRequest, reply: FastifyReply) => Promise<object>;
}

/** Adds an endpoint for pages; requests are checked and counted before the body is read. */
export function addEndpoint<Body extends object>(
  scope: FastifyInstance,
  { url, bodyLimit, limit, limitAsked, limitFaults, read, answer }: Endpoint<Body>,
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
 * Handles errors of a page's endpoints.
 * @param sentenceFor text for the reader, in their language, for errors the page has no text for
 */
export function answerErrors(
  scope: FastifyInstance,
  log: Logger,
  sentenceFor?: (error: UserError, request: FastifyRequest) => string | undefined,
): void {
  const refusals = new RefusalLog(log);
  scope.setErrorHandler((error: unknown, request, reply) => {
    if (error instanceof UserError && !isForOperator(error)) {
      return sendProblem(request, reply, error.code, error.message, sentenceFor?.(error, request));
    }
    if (error instanceof RetryableError) {
      // The message is for the operator: it may contain paths and hosts.
      if (error.isTrouble) refusals.add(error, request.routeOptions.url);
      return sendUnavailable(request, reply, error.retryAfter);
    }
    if (isForOperator(error)) {
      refusals.add(error, request.routeOptions.url, 'error');
      return sendUnavailable(request, reply, OPERATOR_RETRY);
    }
    return failed(error, request, reply, log);
  });
}

function sendUnavailable(
  request: FastifyRequest,
  reply: FastifyReply,
  retryAfter: number,
): FastifyReply {
  reply.header('Retry-After', String(Math.max(1, Math.ceil(retryAfter))));
  const detail = 'Data is unavailable right now. Try again in a moment.';
  return sendProblem(request, reply, 'data-unavailable', detail);
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
  const path = request.routeOptions.url;
  log.error({ err: error, path, requestId: requestIdOf(reply) }, 'bug: a page failed');
  const detail =
    'Something went wrong on our side. If it keeps happening, report it with the requestId.';
  return sendProblem(request, reply, 'internal', detail);
}
