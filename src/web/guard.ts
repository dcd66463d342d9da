import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { monotonicMs } from '#core/clock';
import type { MaybePromise } from '#core/maybe-promise';
import { countHere, type RateCounterMaker, type RateWindow } from '#core/rate-window';
import { sendProblem } from './problem.ts';

/** Milliseconds. */
const WINDOW = 60_000;
/** Counters that are kept at once, so that invented addresses can't fill the memory. */
const MAX_CLIENTS = 10_000;

/** Looks at a request before its body is read; it answers and returns true when it refuses. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => MaybePromise<boolean>;

/**
 * Only the page itself may ask. A browser says where a request comes from, and a page can't lie
 * about it; a program that is no browser can say what it likes, but it has nobody's rights to abuse.
 */
export const sameOriginOnly: Guard = (request, reply) => {
  if (isSameOrigin(request.headers)) return false;
  sendProblem(request, reply, 'cross-site', 'Only pages of this service may send this request.');
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

interface LimitOptions {
  /** Tells it from the other limits that are counted in the same place. */
  readonly name: string;
  /** Requests a minute. */
  readonly most: number;
  /** What stands for the client of a request. */
  readonly clientOf: (request: IncomingMessage) => string;
  /** For tests: milliseconds, in place of a clock that nobody sets. */
  readonly clock?: (() => number) | undefined;
  /** Where it is counted; in this process alone when not given. */
  readonly counters?: RateCounterMaker | undefined;
  /** Answers in another way than with a problem; told how many seconds to wait. */
  readonly refuse?: (request: FastifyRequest, reply: FastifyReply, seconds: number) => void;
}

/** A bound for what one client may ask in a minute. */
export interface Limit {
  /** Counts a request; it answers and returns true when the client has made too many. */
  count(client: string, request: FastifyRequest, reply: FastifyReply): MaybePromise<boolean>;
  /** The same for a client that has made many times too many, and counts nothing. */
  refuseFlood(client: string, request: FastifyRequest, reply: FastifyReply): MaybePromise<boolean>;
}

/** How many times too many requests are a flood. */
const FLOOD = 20;

export function createLimit(options: Omit<LimitOptions, 'clientOf'>): Limit {
  const { name, most, clock = monotonicMs, counters = countHere, refuse } = options;
  const windows = counters(name, { length: WINDOW, maxClients: MAX_CLIENTS });

  function refused(request: FastifyRequest, reply: FastifyReply, window: RateWindow, now: number) {
    const seconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000));
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
      return when(windows.count(client, now), (window) =>
        window.count > most ? refused(request, reply, window, now) : false,
      );
    },
    refuseFlood(client, request, reply) {
      const now = clock();
      return when(windows.peek(client, now), (window) =>
        window !== undefined && window.count > most * FLOOD
          ? refused(request, reply, window, now)
          : false,
      );
    },
  };
}

/** At once where there is nothing to wait for. */
function when<T, R>(value: MaybePromise<T>, then: (value: T) => R): MaybePromise<R> {
  return value instanceof Promise ? value.then(then) : then(value);
}

/** Bounds what one client may ask in a minute. */
export function limitedTo({ clientOf, ...options }: LimitOptions): Guard {
  const limit = createLimit(options);
  return (request, reply) => limit.count(clientOf(request.raw), request, reply);
}
