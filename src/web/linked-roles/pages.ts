import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { messageOf, RetryableError } from '#core/errors';
import {
  type AuthorizationRedirect,
  CALLBACK_PATH,
  type Callback,
  type ConnectResult,
  LINKED_ROLES_PATH,
  type LinkedRolesPageService,
  type RoleSyncResult,
} from '#core/linked-roles/page-service';
import type { Logger } from '#core/logger';
import type { RateCounterMaker } from '#core/rate-window';
import { acceptedLanguages } from '#core/texts/accepted-languages';
import { limitedTo } from '#web/guard';
import { addAssets } from '#web/static';
import { wordsFor } from '#web/words/index';
import { ticketCookie } from './cookie.ts';
import { renderRolePage } from './page.ts';
import { DEFAULT_WORDS, ROLE_WORDS, type RoleWords } from './words.ts';

export interface LinkedRolesPagesOptions {
  readonly service: LinkedRolesPageService;
  /** Where people reach this instance, with no slash at the end. */
  readonly publicUrl: () => string;
  readonly log: Logger;
  /** What stands for the client of a request in the count of its requests. */
  readonly clientOf: (request: IncomingMessage) => string;
  /** Where requests are counted; in this process alone when not given. */
  readonly counters?: RateCounterMaker | undefined;
  /** For tests: milliseconds, in place of a clock that nobody sets. */
  readonly clock?: (() => number) | undefined;
  /** Requests that one client may make in a minute. */
  readonly requestsAMinute?: number;
}

/** Each connection takes two. */
const REQUESTS_A_MINUTE = 20;

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // The address has Discord's code in it.
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
};

const ASSETS = new Map([
  [`${LINKED_ROLES_PATH}/base.css`, 'base.css'],
  [`${LINKED_ROLES_PATH}/page.css`, 'linked-roles/page.css'],
  [`${LINKED_ROLES_PATH}/icon.svg`, 'icon.svg'],
]);

type Fault = 'unavailable' | 'limited' | 'failed';
type PageName = Exclude<keyof RoleWords, 'title' | 'close' | 'again'>;

const STATUS: Readonly<Record<PageName, number>> = {
  told: 200,
  noWallet: 200,
  later: 200,
  denied: 200,
  expired: 400,
  refused: 400,
  unavailable: 503,
  limited: 429,
  failed: 500,
};

/** Pages after which there is nothing left to do here. */
const DONE: ReadonlySet<PageName> = new Set(['told', 'noWallet', 'later']);

const CONNECTED: Readonly<Record<RoleSyncResult, PageName>> = {
  told: 'told',
  'no-wallet': 'noWallet',
  later: 'later',
  gone: 'refused',
};

/**
 * The pages on which members connect for Discord's Linked Roles. To ask for the first one does
 * nothing: it sends on to Discord, and all that is remembered is in the browser's cookie.
 * @returns what adds them to a server
 */
export function createLinkedRolesPages(
  options: LinkedRolesPagesOptions,
): (app: FastifyInstance) => void {
  const { service, publicUrl, log, clientOf, counters, clock } = options;
  const most = options.requestsAMinute ?? REQUESTS_A_MINUTE;
  const cookie = () => ticketCookie(publicUrl().startsWith('https:'));
  const limit = limitedTo({
    name: 'linked-roles-page',
    most,
    clientOf,
    clock,
    counters,
    refuse: (request, reply, seconds) => fault(request, reply, 'limited', seconds),
  });
  /** Before anything is done for a request. */
  async function onRequest(request: FastifyRequest, reply: FastifyReply) {
    if (await limit(request, reply)) return reply;
  }

  function page(
    request: FastifyRequest,
    reply: FastifyReply,
    name: PageName,
    seconds?: number,
  ): FastifyReply {
    const { language } = wordsFor(acceptedLanguages(request.headers['accept-language'] ?? ''));
    const words = ROLE_WORDS[language] ?? DEFAULT_WORDS;
    const againUrl = DONE.has(name) ? undefined : publicUrl() + LINKED_ROLES_PATH;
    const value = seconds === undefined ? {} : { value: seconds };
    const content = { language, words, text: words[name], againUrl, ...value };
    return reply
      .code(STATUS[name])
      .headers({ ...HEADERS, 'Content-Type': 'text/html; charset=utf-8', Vary: 'Accept-Language' })
      .send(renderRolePage(content));
  }

  function fault(
    request: FastifyRequest,
    reply: FastifyReply,
    name: Fault,
    seconds: number,
  ): FastifyReply {
    const wait = Math.max(1, Math.ceil(seconds));
    if (name !== 'failed') reply.header('Retry-After', String(wait));
    return page(request, reply, name, wait);
  }

  function sendOn(
    reply: FastifyReply,
    { url, ticket, lasts }: AuthorizationRedirect,
  ): FastifyReply {
    cookie().write(reply, ticket, lasts);
    return reply.headers(HEADERS).redirect(url, 302);
  }

  function say(request: FastifyRequest, reply: FastifyReply, outcome: ConnectResult): FastifyReply {
    if (outcome.kind === 'again') return sendOn(reply, outcome.departure);
    const name = outcome.kind === 'connected' ? CONNECTED[outcome.result] : outcome.kind;
    return page(request, reply, name);
  }

  return (app) => {
    // In a scope of its own, for its errors are answered in its own way.
    app.register(async (scope) => {
      scope.setErrorHandler((error: unknown, request, reply) => {
        if (error instanceof RetryableError) {
          log.warn({ reason: messageOf(error) }, 'a member could not connect for Linked Roles');
          return fault(request, reply, 'unavailable', error.retryAfter);
        }
        log.error({ err: error, path: request.routeOptions.url }, 'a bug: a page failed');
        return fault(request, reply, 'failed', 0);
      });
      addAssets(scope, ASSETS);
      scope.route({
        method: ['GET', 'HEAD'],
        url: LINKED_ROLES_PATH,
        onRequest,
        handler: async (_, reply) => sendOn(reply, await service.startAuthorization()),
      });
      scope.route({
        method: 'GET',
        url: CALLBACK_PATH,
        onRequest,
        async handler(request, reply) {
          const ticket = cookie().read(request);
          // Before anything can fail: what was tried once is over.
          cookie().clear(reply);
          return say(
            request,
            reply,
            await service.finishAuthorization(callbackOf(request), ticket),
          );
        },
      });
    });
  };
}

/** A value that stands there twice is none. */
function callbackOf(request: FastifyRequest): Callback {
  const { code, state, error } = request.query as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return { code: text(code), state: text(state), error: text(error) };
}
