import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  countLocally,
  type MaybePromise,
  mapMaybe,
  monotonicMs,
  type RateCounterMaker,
  type RateWindow,
  secondsLeft,
} from '#base';
import { sendProblem } from './problem.ts';

/** Milliseconds. */
const WINDOW = 60_000;
/** Maximum number of counters, so invented addresses can't fill the memory. */
const MAX_CLIENTS = 10_000;

/** Checks a request before its body is read; if it refuses, it responds and returns true. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => MaybePromise<boolean>;

/**
 * Only allows requests from the page itself. Browsers report where a request comes from, and pages
 * can't fake it; other programs can, but they have no user's rights to abuse.
 */
export const sameOriginOnly: Guard = (request, reply) => {
  if (isSameOrigin(request.headers)) return false;
  sendProblem(request, reply, 'cross-site', 'Only pages of this service may send this request.');
  return true;
};

function isSameOrigin(headers: FastifyRequest['headers']): boolean {
  const site = headers['sec-fetch-site'];
  // Browsers omit it if the page was loaded over plain HTTP from another machine.
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = headers;
  if (origin === undefined) return true;
  return host !== undefined && URL.parse(origin)?.host === host.toLowerCase();
}

interface LimitOptions {
  /** Distinguishes it from other limits counted in the same place. */
  readonly name: string;
  /** Requests per minute. */
  readonly most: number;
  /** The key under which a client is counted. */
  readonly clientOf: (request: IncomingMessage) => string;
  /** For tests: replaces the monotonic clock; milliseconds. */
  readonly clock?: (() => number) | undefined;
  /** Shared counters; by default only this process counts. */
  readonly counters?: RateCounterMaker | undefined;
  /** Custom response instead of a problem; gets the seconds to wait. */
  readonly refuse?: (request: FastifyRequest, reply: FastifyReply, seconds: number) => void;
}

/** A rate limit per client and minute. */
export interface Limit {
  /** Counts a request; responds and returns true if the client exceeded the limit. */
  count(client: string, request: FastifyRequest, reply: FastifyReply): MaybePromise<boolean>;
  /** The same for clients far beyond the limit; counts nothing. */
  refuseFlood(client: string, request: FastifyRequest, reply: FastifyReply): MaybePromise<boolean>;
}

/** Requests beyond this multiple of the limit are a flood. */
const FLOOD = 20;

export function createLimit(options: Omit<LimitOptions, 'clientOf'>): Limit {
  const { name, most, clock = monotonicMs, counters = countLocally, refuse } = options;
  const windows = counters(name, { length: WINDOW, maxClients: MAX_CLIENTS });

  function refused(request: FastifyRequest, reply: FastifyReply, window: RateWindow, now: number) {
    const seconds = secondsLeft(window, now);
    reply.header('Retry-After', String(seconds));
    if (refuse !== undefined) {
      refuse(request, reply, seconds);
      return true;
    }
    const detail = `Too many requests: at most ${most} a minute. Wait ${seconds} seconds.`;
    sendProblem(request, reply, 'rate-limited', detail);
    return true;
  }

  return {
    count(client, request, reply) {
      const now = clock();
      return mapMaybe(windows.count(client, now), (window) =>
        window.count > most ? refused(request, reply, window, now) : false,
      );
    },
    refuseFlood(client, request, reply) {
      const now = clock();
      return mapMaybe(windows.peek(client, now), (window) =>
        window !== undefined && window.count > most * FLOOD
          ? refused(request, reply, window, now)
          : false,
      );
    },
  };
}

/** Limits a client's requests per minute. */
export function limitedTo({ clientOf, ...options }: LimitOptions): Guard {
  const limit = createLimit(options);
  return (request, reply) => limit.count(clientOf(request.raw), request, reply);
}
