import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { UserError } from '#core/errors';
import type { RateCounterMaker } from '#core/rate-window';
import type { Endpoint } from '#web/endpoint';
import { createLimit } from '#web/guard';

interface LinkLimitOptions {
  /** Requests a minute of one link, and of one client that names no link which is good. */
  readonly most: number;
  readonly clientOf: (request: IncomingMessage) => string;
  /** For tests; see `createLimit`. */
  readonly clock: (() => number) | undefined;
  readonly counters: RateCounterMaker | undefined;
  /** What the cookie says. */
  readonly sessionOf: (request: FastifyRequest) => string | undefined;
}

/**
 * The limits of the page's endpoints. A whole community may sit behind one address, so who has a good
 * link is counted by the link alone; the address counts for what names no link that is good, and is
 * refused unread once that is a flood.
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
      // Both are secrets, and the counters may be kept elsewhere.
      return link === undefined ? false : byLink.count(hash('sha256', link), request, reply);
    },
    limitFaults(error, request, reply) {
      const isUnknown = error instanceof UserError && error.code === 'link-expired';
      if (error !== undefined && !isUnknown) return false;
      return byAddress.count(clientOf(request.raw), request, reply);
    },
  };
}
