import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  isForOperator,
  type Logger,
  type MaybePromise,
  monotonicMs,
  OPERATOR_RETRY,
  type RateCounterMaker,
  RetryableError,
} from '#base';
import { RefusalLog } from '#base/process';
import { limitedTo } from '#http/pages/guard';
import { requestIdOf } from '#http/pages/json-problem';
import { addAssets, addDrawings } from '#http/pages/static';
import type { VerifiedNames } from '#names';
import {
  type ExplorerLinks,
  type Reading,
  type ReputationSource,
  readingKey,
  TIERS,
  type Tier,
  type TierThresholds,
} from '#reputation';
import type { WalletParser } from '#wallet';
import { badgePageRoute } from './boards/badge.ts';
import { leaderboardPageRoute } from './boards/leaderboard.ts';
import { type ErrorPageCause, errorPage } from './error-page.ts';
import { dataNote, type Invitations, PAGE_HEADERS, renderDocument } from './layout.ts';
import { PageCache, type RenderedPage } from './page-cache.ts';
import { creaturePath, PUBLIC_ASSETS } from './pictures.ts';
import { type PageReader, readerKey, readerOf } from './reader.ts';
import type { PageOutcome, PublicRoute, RouteAnswer } from './route.ts';
import { statsPageRoute } from './stats/stats.ts';
import { walletPageRoute } from './wallet/wallet-page.ts';

export interface PublicPagesOptions {
  readonly source: ReputationSource;
  /** Resolves entered names; the source knows which names to show. */
  readonly names: VerifiedNames;
  readonly wallets: WalletParser;
  readonly thresholds: TierThresholds;
  readonly explorers: ExplorerLinks;
  /** Absolute URL of this instance, for previews. */
  readonly publicUrl: () => string;
  readonly invitations: Invitations;
  /** Whether badges have pictures at `/badge-picture`. */
  readonly hasBadgePictures: boolean;
  /** A tier's creature as an SVG document. */
  readonly creatureOf: (tier: Tier) => string;
  /** Whether the wallets are made up; the pages say so. */
  readonly isDemo: boolean;
  readonly log: Logger;
  /** The key under which a client is counted; by default its address. */
  readonly clientOf?: (request: IncomingMessage) => string;
  /** Shared counters; by default only this process counts. */
  readonly counters?: RateCounterMaker | undefined;
  /** Pages per client and minute. */
  readonly pagesAMinute?: number;
  /** For tests: replaces the monotonic clock; milliseconds. */
  readonly clock?: () => number;
}

/** More than people read; slows crawlers down. */
const PAGES_A_MINUTE = 300;

/**
 * The public pages, rendered on the server without scripts.
 * @returns a function that adds them to a server
 */
export function createPublicPages(options: PublicPagesOptions): (app: FastifyInstance) => void {
  const { source, publicUrl, log, counters, clock = monotonicMs } = options;
  const origin = () => publicUrl().replace(/\/+$/, '');
  const site = { origin, isDemo: options.isDemo };
  const kept = new PageCache(PAGE_HEADERS, clock);
  const refusals = new RefusalLog(log, clock);
  const clientOf = options.clientOf ?? ((request) => request.socket.remoteAddress ?? '');
  const most = options.pagesAMinute ?? PAGES_A_MINUTE;
  const limit = limitedTo({
    ...{ name: 'pages', most, clientOf, counters, clock },
    refuse: (request, reply, seconds) => {
      sendLost(reply, 429, { tooMany: seconds }, readerOf(request));
    },
  });

  function sendLost(
    reply: FastifyReply,
    status: 429 | 500 | 503,
    cause: ErrorPageCause,
    reader: PageReader,
    shown?: string,
  ): FastifyReply {
    const html = renderDocument(errorPage(cause, reader, shown), reader, site);
    return reply.code(status).headers(PAGE_HEADERS).header('Cache-Control', 'no-store').send(html);
  }

  function failed(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const reader = readerOf(request);
    const path = request.routeOptions.url;
    const unavailable = (retryAfter: number) => {
      reply.header('Retry-After', String(Math.max(1, Math.ceil(retryAfter))));
      return sendLost(reply, 503, 'unavailable', reader);
    };
    if (error instanceof RetryableError) {
      // The message is for the operator: it may contain paths and hosts.
      refusals.add(error, path);
      return unavailable(error.retryAfter);
    }
    if (isForOperator(error)) {
      refusals.add(error, path, 'error');
      return unavailable(OPERATOR_RETRY);
    }
    const requestId = requestIdOf(reply);
    log.error({ err: error, path, requestId }, 'bug: a page failed');
    return sendLost(reply, 500, 'bug', reader, requestId);
  }

  async function render(
    outcome: PageOutcome,
    reader: PageReader,
    reading: Reading,
  ): Promise<RenderedPage> {
    const { isStale } = reading;
    if ('lost' in outcome) {
      const page = errorPage(outcome.lost, reader, outcome.shown);
      // What isn't found may be still to come.
      const isLacking = outcome.status === 404 && (isStale || reading.isPartial === true);
      const data = isLacking ? dataNote(reading) : undefined;
      const html = renderDocument({ ...page, ...(data && { data }) }, reader, site);
      return { status: outcome.status, html, isStale, isPartial: false };
    }
    const { page, status = 200, isPartial = false } = outcome;
    const html = renderDocument(page, reader, site);
    return { status, html, isStale: page.data?.isStale ?? isStale, isPartial };
  }

  /**
   * Synchronous for a cached page, as are the functions below: promises would take a good part of its time.
   */
  function send(
    answer: RouteAnswer,
    reader: PageReader,
    request: FastifyRequest,
    reply: FastifyReply,
  ): MaybePromise<void> {
    if ('redirect' in answer) {
      reply.header('Cache-Control', 'no-store').redirect(answer.redirect, 302);
      return;
    }
    const reading = source.reading('visitor');
    const page = kept.get(
      `${answer.key} ${readerKey(reader)}`,
      readingKey(reading),
      async () => await render(await answer.make(), reader, reading),
    );
    return after(page, (made) => kept.send(request, reply, made));
  }

  function respond(
    route: PublicRoute,
    request: FastifyRequest,
    reply: FastifyReply,
  ): MaybePromise<void> {
    return after(limit(request, reply), (isRefused) => {
      if (isRefused) return;
      const reader = readerOf(request);
      return after(route.answer(request, reader), (answer) => send(answer, reader, request, reply));
    });
  }

  const routes: readonly PublicRoute[] = [
    walletPageRoute({ ...options, origin }),
    leaderboardPageRoute(options),
    statsPageRoute(options),
    badgePageRoute(options),
  ];
  return (app) => {
    // A scope of its own, as it has its own error handler.
    app.register(async (scope) => {
      scope.setErrorHandler(failed);
      addAssets(scope, PUBLIC_ASSETS);
      const { creatureOf } = options;
      const creatures = TIERS.map((tier) => [creaturePath(tier), () => creatureOf(tier)] as const);
      addDrawings(scope, new Map(creatures));
      for (const route of routes) {
        scope.route({
          method: ['GET', 'HEAD'],
          url: route.url,
          handler(request, reply) {
            const response = respond(route, request, reply);
            // Otherwise Fastify would wait for a body.
            return response instanceof Promise ? response.then(() => reply) : undefined;
          },
        });
      }
    });
  };
}

/** Synchronously if the value is there already. */
function after<T>(
  value: MaybePromise<T>,
  use: (value: T) => MaybePromise<void>,
): MaybePromise<void> {
  return value instanceof Promise ? value.then(use) : use(value);
}
