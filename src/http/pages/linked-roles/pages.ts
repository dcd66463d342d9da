import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  html,
  isForOperator,
  type Logger,
  OPERATOR_RETRY,
  type RateCounterMaker,
  RetryableError,
} from '#base';
import { RefusalLog } from '#base/process';
import { acceptedLanguages, type RoleTexts, textsFor } from '#command/texts';
import { cookieOf } from '#http/pages/document';
import { limitedTo } from '#http/pages/guard';
import { addAssets } from '#http/pages/static';
import { wordsFor } from '#http/pages/words/index';
import {
  type AuthorizationRedirect,
  CALLBACK_PATH,
  type Callback,
  type ConnectResult,
  LINKED_ROLES_PATH,
  type LinkedRolesPageService,
  type RoleSyncResult,
} from '#platforms/role-connections';

interface LinkedRolesPagesOptions {
  readonly service: LinkedRolesPageService;
  /** Public URL of this instance, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly log: Logger;
  /** The key under which a client's requests are counted. */
  readonly clientOf: (request: IncomingMessage) => string;
  /** Counters shared with other replicas; by default only this process counts. */
  readonly counters?: RateCounterMaker | undefined;
  /** For tests: replaces the monotonic clock; milliseconds. */
  readonly clock?: (() => number) | undefined;
  /** Requests per minute and client. */
  readonly requestsAMinute?: number;
}

/** Connecting takes two requests. */
const REQUESTS_A_MINUTE = 20;

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // The URL contains Discord's code.
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
type PageName = Exclude<keyof RoleTexts['rolePages'], 'title' | 'close' | 'again'>;

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

/** Pages without a way to start again. */
const DONE: ReadonlySet<PageName> = new Set(['told', 'noWallet', 'later']);

const CONNECTED: Readonly<Record<RoleSyncResult, PageName>> = {
  told: 'told',
  'no-wallet': 'noWallet',
  later: 'later',
  gone: 'refused',
};

/**
 * The pages on which members connect for Discord's Linked Roles. The first one changes nothing: it
 * redirects to Discord, and its only state is the browser's cookie.
 * @returns a function that adds them to a server
 */
export function createLinkedRolesPages(
  options: LinkedRolesPagesOptions,
): (app: FastifyInstance) => void {
  const { service, publicUrl, log, clientOf, counters, clock } = options;
  const most = options.requestsAMinute ?? REQUESTS_A_MINUTE;
  const refusals = new RefusalLog(log);
  const cookie = () => ticketCookie(publicUrl().startsWith('https:'));
  const limit = limitedTo({
    name: 'linked-roles-page',
    most,
    clientOf,
    clock,
    counters,
    refuse: (request, reply, seconds) => fault(request, reply, 'limited', seconds),
  });
  async function onRequest(request: FastifyRequest, reply: FastifyReply) {
    if (await limit(request, reply)) return reply;
  }

  function page(
    request: FastifyRequest,
    reply: FastifyReply,
    name: PageName,
    seconds = 0,
  ): FastifyReply {
    const { language } = wordsFor(acceptedLanguages(request.headers['accept-language'] ?? ''));
    const { rolePages } = textsFor(language);
    const { title, about } = rolePages[name];
    const againUrl = DONE.has(name) ? undefined : publicUrl() + LINKED_ROLES_PATH;
    const content = {
      language,
      texts: rolePages,
      title,
      about: typeof about === 'string' ? about : about(String(seconds)),
      againUrl,
    };
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
    // A scope of its own, as it has its own error handler.
    app.register(async (scope) => {
      scope.setErrorHandler((error: unknown, request, reply) => {
        if (error instanceof RetryableError) {
          refusals.add(error, request.routeOptions.url);
          return fault(request, reply, 'unavailable', error.retryAfter);
        }
        if (isForOperator(error)) {
          refusals.add(error, request.routeOptions.url, 'error');
          return fault(request, reply, 'unavailable', OPERATOR_RETRY);
        }
        log.error(
          { err: error, path: request.routeOptions.url },
          'bug: a Linked Roles page failed',
        );
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
          // Before anything can fail: each attempt is for one use.
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

/** Duplicate values count as missing. */
function callbackOf(request: FastifyRequest): Callback {
  const { code, state, error } = request.query as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return { code: text(code), state: text(state), error: text(error) };
}

/** What the browser must bring back from Discord. */
interface TicketCookie {
  /** @returns undefined if there's none */
  read(request: FastifyRequest): string | undefined;
  /** @param seconds how long the browser keeps it */
  write(reply: FastifyReply, ticket: string, seconds: number): void;
  /** Each ticket is for one use. */
  clear(reply: FastifyReply): void;
}

/**
 * A cookie that scripts can't read. It must be sent when Discord's page links back to us, so it's `Lax`; its
 * purpose is that nobody else can forge one.
 * @param isSecure whether the pages are served over https; then no other host can set it either
 */
function ticketCookie(isSecure: boolean): TicketCookie {
  const name = isSecure ? '__Host-fathom_roles' : 'fathom_roles';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const write = (reply: FastifyReply, ticket: string, seconds: number) => {
    reply.header('Set-Cookie', `${name}=${ticket}; ${attributes}; Max-Age=${seconds}`);
  };
  return {
    read: (request) => cookieOf(request, name) || undefined,
    write,
    clear: (reply) => write(reply, '', 0),
  };
}

interface PageContent {
  readonly language: string;
  readonly texts: RoleTexts['rolePages'];
  readonly title: string;
  /** What happened, and what to do. */
  readonly about: string;
  /** Where to start again; undefined if nothing is left to do. */
  readonly againUrl: string | undefined;
}

/** Renders the outcome as a page without scripts. */
export function renderRolePage(content: PageContent): string {
  const { language, texts, title, about, againUrl } = content;
  const next =
    againUrl === undefined ? texts.close : html`<a href="${againUrl}">${texts.again}</a>`;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${texts.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${LINKED_ROLES_PATH}/icon.svg">
<link rel="stylesheet" href="${LINKED_ROLES_PATH}/base.css">
<link rel="stylesheet" href="${LINKED_ROLES_PATH}/page.css">
</head>
<body>
<header class="bar">
<span class="brand"><img src="${LINKED_ROLES_PATH}/icon.svg" alt="" width="32" height="32">Fathom</span>
</header>
<main>
<h1>${title}</h1>
<p>${about}</p>
<p>${next}</p>
</main>
</body>
</html>
`.text;
}
