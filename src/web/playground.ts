import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Card } from '#core/card';
import type { Caller } from '#core/command';
import type { Logger } from '#core/logger';
import { type Asked, ask } from './ask.ts';
import { complete } from './complete.ts';
import { limitedTo, sameOriginOnly } from './guard.ts';
import { createHome } from './home.ts';
import { ASSETS_PATH } from './page.ts';
import type { DiscordMessage, TelegramMessage } from './payloads.ts';
import { sendProblem } from './problem.ts';
import { type PageRequest, readRequest } from './request.ts';
import { loadAssets, sendStatic } from './static.ts';

export interface PlaygroundOptions {
  readonly answerer: Asked;
  /** The chats' own renderers, so that the page shows what they would. */
  readonly render: {
    discord(card: Card, caller: Caller): DiscordMessage;
    telegram(card: Card, caller: Caller, locale: string): TelegramMessage;
    /** The data of a button without what a renderer had to add to it. */
    codeOf(data: string): string;
  };
  readonly log: Logger;
  /** What stands for the client of a request in the count of its questions; its address if not given. */
  readonly clientOf?: (request: IncomingMessage) => string;
  /** Questions that one client may ask in a minute. */
  readonly asksAMinute?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Bytes; a question has less than half of it. */
const BODY_MAX = 2048;
/** Flag of a message that Discord shows to the asker alone. */
const EPHEMERAL = 64;
const ASKS_A_MINUTE = 60;
/** One is asked for nearly every letter that is typed. */
const SUGGESTIONS_AN_ASK = 4;

/**
 * The page at `/` on which anybody tries the commands and sees what the chats would show.
 * @returns what adds it to a server
 */
export function createPlayground(options: PlaygroundOptions): (app: FastifyInstance) => void {
  const { answerer, render, log, clock = Date.now } = options;
  const clientOf = options.clientOf ?? ((request) => request.socket.remoteAddress ?? '');
  const most = options.asksAMinute ?? ASKS_A_MINUTE;
  const assets = loadAssets();
  const home = createHome();

  return (app) => {
    // In a scope of its own, for its errors are answered in its own way.
    app.register(async (scope) => {
      scope.setErrorHandler((error, request, reply) => failed(error, request, reply, log));
      scope.route({ method: ['GET', 'HEAD'], url: '/', handler: home });
      for (const [name, file] of assets) {
        scope.route({
          method: ['GET', 'HEAD'],
          url: `${ASSETS_PATH}/${name}`,
          handler: (request, reply) => sendStatic(request, reply, file),
        });
      }
      addEndpoint(scope, 'ask', limitedTo(most, clientOf, clock), async (request) => {
        const { card, asked } = await ask(answerer, request, render.codeOf);
        const { caller, words } = request;
        const discord = render.discord(card, caller);
        return {
          asked,
          discord: card.private ? { ...discord, flags: EPHEMERAL } : discord,
          telegram: render.telegram(card, caller, words.language),
        };
      });
      const limit = limitedTo(most * SUGGESTIONS_AN_ASK, clientOf, clock);
      addEndpoint(scope, 'suggest', limit, async (request) => ({
        completions: await complete(answerer, request),
      }));
    });
  };
}

/** Adds an endpoint for the page alone; it is checked and counted before its body is read. */
function addEndpoint(
  scope: FastifyInstance,
  name: string,
  limit: ReturnType<typeof limitedTo>,
  answer: (request: PageRequest) => Promise<object>,
): void {
  scope.route({
    method: 'POST',
    url: `${ASSETS_PATH}/${name}`,
    bodyLimit: BODY_MAX,
    onRequest(request, reply, done) {
      if (!sameOriginOnly(request, reply) && !limit(request, reply)) done();
    },
    async handler(request, reply) {
      const asked = readRequest(request.body);
      if (typeof asked === 'string') return sendProblem(request, reply, 'bad-request', asked);
      reply.headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
      return await answer(asked);
    },
  });
}

function failed(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): FastifyReply {
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status === 413) {
    const detail = `A question has at most ${BODY_MAX} bytes.`;
    return sendProblem(request, reply, 'body-too-large', detail);
  }
  if (status === 415) {
    return sendProblem(request, reply, 'unsupported-media-type', 'Send application/json.');
  }
  if (status >= 400 && status < 500) {
    return sendProblem(request, reply, 'bad-request', 'The body is not proper JSON.');
  }
  log.error({ err: error }, 'a bug: the playground failed');
  const detail = 'Something went wrong on our side. If it stays, report it with the requestId.';
  return sendProblem(request, reply, 'internal', detail);
}
