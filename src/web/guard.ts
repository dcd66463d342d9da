import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateWindows } from '#core/rate-window';
import { sendProblem } from './problem.ts';

/** Milliseconds. */
const WINDOW = 60_000;
/** Counters that are kept at once, so that invented addresses can't fill the memory. */
const MAX_CLIENTS = 10_000;

/** Looks at a request before its body is read; it answers and returns true when it refuses. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => boolean;

/**
 * Only the page itself may ask. A browser says where a request comes from, and a page can't lie
 * about it; a program that is no browser can say what it likes, but it has nobody's rights to abuse.
 */
export const sameOriginOnly: Guard = (request, reply) => {
  if (isSameOrigin(request.headers)) return false;
  sendProblem(request, reply, 'cross-site', 'Only the page of this very service may ask here.');
  return true;
};

function isSameOrigin(headers: FastifyRequest['headers']): boolean {
  const site = headers['sec-fetch-site'];
  // Browsers leave it out where the page came over plain HTTP from another machine.
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = headers;
  if (origin === undefined) return true;
  return host !== undefined && URL.parse(origin)?.host === host.toLowerCase();
}

/**
 * Bounds what one client may ask in a minute.
 * @param clientOf what stands for the client of a request
 * @param clock milliseconds since 1970
 * @param refuse answers in another way than with a problem; told how many seconds to wait
 */
export function limitedTo(
  most: number,
  clientOf: (request: IncomingMessage) => string,
  clock: () => number,
  refuse?: (request: FastifyRequest, reply: FastifyReply, seconds: number) => void,
): Guard {
  const windows = new RateWindows({ length: WINDOW, maxClients: MAX_CLIENTS });
  return (request, reply) => {
    const now = clock();
    const { count, endsAt } = windows.count(clientOf(request.raw), now);
    if (count <= most) return false;
    const seconds = Math.max(1, Math.ceil((endsAt - now) / 1000));
    reply.header('Retry-After', String(seconds));
    if (refuse !== undefined) {
      refuse(request, reply, seconds);
      return true;
    }
    const detail = `This page may ask ${most} times a minute. Wait for ${seconds} s.`;
    sendProblem(request, reply, 'rate-limited', detail);
    return true;
  };
}
