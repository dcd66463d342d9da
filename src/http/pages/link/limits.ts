import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { type RateCounterMaker, UserError } from '#base';
import type { Endpoint } from '#http/pages/endpoint';
import { createLimit } from '#http/pages/guard';

interface LinkLimitOptions {
  /** Requests per minute of one link, and of one client whose requests name no valid link. */
  readonly most: number;
  readonly clientOf: (request: IncomingMessage) => string;
  /** For tests; see `createLimit`. */
  readonly clock: (() => number) | undefined;
  readonly counters: RateCounterMaker | undefined;
  /** The link in the cookie. */
  readonly sessionOf: (request: FastifyRequest) => string | undefined;
}

/**
 * The rate limits of the page's endpoints. A whole community may share an address, so requests with a valid
 * link count by link only. Requests without one count by address, and beyond a flood they're rejected unread.
 */
export function linkLimits({
  most,
  clientOf,
  clock,
  counters,
  sessionOf,
}: LinkLimitOptions): Required<Pick<Endpoint<object>, 'limit' | 'limitAsked' | 'limitFaults'>> {
  const byLink = createLimit({ name: 'link-page-link', most, clock, counters });
  const byAddress = createLimit({ name: 'link-page', most, clock, counters });
  return {
    limit: (request, reply) => byAddress.refuseFlood(clientOf(request.raw), request, reply),
    limitAsked(asked, request, reply) {
      const { ticket } = asked as { readonly ticket?: string };
      const link = ticket ?? sessionOf(request);
      // Both are secrets, and the counters may be stored elsewhere.
      return link === undefined ? false : byLink.count(hash('sha256', link), request, reply);
    },
    limitFaults(error, request, reply) {
      const isUnknown = error instanceof UserError && error.code === 'link-expired';
      if (error !== undefined && !isUnknown) return false;
      return byAddress.count(clientOf(request.raw), request, reply);
    },
  };
}
