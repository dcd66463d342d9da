import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Logger, RateCounterMaker } from '#base';
import { type Caller, type Card, type CardPicture, pictureOn } from '#command';
import { ask, type ChatFallbacks, type PlaygroundAnswerer } from './ask.ts';
import { complete } from './complete.ts';
import { createDocument } from './document.ts';
import { addEndpoint, answerErrors } from './endpoint.ts';
import { limitedTo } from './guard.ts';
import { ASSETS_PATH, renderPage } from './page.ts';
import { readRequest } from './request.ts';
import { addAssets } from './static.ts';

/** A chat on the page. */
export interface ChatPreview {
  readonly id: string;
  readonly label: string;
  /** The chat's own renderer; returns a message in its API's format. */
  render(card: Card, caller: Caller, language: string, picture: CardPicture | undefined): unknown;
  /** A button's data without what the renderer added. */
  codeOf(data: string): string;
}

export interface PlaygroundOptions extends ChatFallbacks {
  readonly answerer: PlaygroundAnswerer;
  readonly previews: readonly ChatPreview[];
  /** Whether the wallets are made up; the page says so. */
  readonly isDemo?: boolean;
  readonly log: Logger;
  /** The key under which a client is counted; by default its address. */
  readonly clientOf?: (request: IncomingMessage) => string;
  /** Shared counters; by default only this process counts. */
  readonly counters?: RateCounterMaker | undefined;
  /** Commands per client and minute. */
  readonly asksAMinute?: number;
  /** For tests: replaces every clock; milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Maximum characters of an answer's file; the made-up server's files are shorter. */
const FILE_MAX = 20_000;
/** Bytes; requests have less than half. */
const BODY_MAX = 2048;
const ASKS_A_MINUTE = 60;
/** Sent for nearly every keystroke. */
const SUGGESTIONS_AN_ASK = 4;

/** The page's assets. */
const ASSETS = [
  'app.js',
  'combobox.js',
  'emoji.js',
  'discord.js',
  'discord-layout.js',
  'discord-parts.js',
  'dom.js',
  'markdown.js',
  'panel.js',
  'service.js',
  'telegram.js',
  'time.js',
  'base.css',
  'frame.css',
  'page.css',
  'ask.css',
  'chats.css',
  'discord.css',
  'emoji.svg',
  'icon.svg',
];

/**
 * The page at `/`, where anyone can try commands and see the chats' answers.
 * @returns a function that adds it to a server
 */
export function createPlayground(options: PlaygroundOptions): (app: FastifyInstance) => void {
  const { answerer, previews, log, counters, clock } = options;
  const codeOf = (data: string) => previews.reduce((code, each) => each.codeOf(code), data);
  const clientOf = options.clientOf ?? ((request) => request.socket.remoteAddress ?? '');
  const most = options.asksAMinute ?? ASKS_A_MINUTE;
  const limitOf = (name: string, most: number) =>
    limitedTo({ name, most, clientOf, clock, counters });
  const home = createDocument({
    render: (words, theme) => renderPage(words, theme, options.isDemo === true, previews),
    formAction: "'self'",
  });

  return (app) => {
    // A scope of its own, as it has its own error handler.
    app.register(async (scope) => {
      answerErrors(scope, log);
      scope.route({ method: ['GET', 'HEAD'], url: '/', handler: home });
      addAssets(scope, new Map(ASSETS.map((name) => [`${ASSETS_PATH}/${name}`, name])));
      const questions = { bodyLimit: BODY_MAX, read: readRequest };
      addEndpoint(scope, {
        ...questions,
        url: `${ASSETS_PATH}/ask`,
        limit: limitOf('asks', most),
        async answer(request) {
          const { card, asked } = await ask(answerer, request, codeOf, options);
          const { caller, words } = request;
          const picture = await pictureOn(card);
          const shown = previews.map(({ id, render }) => [
            id,
            render(card, caller, words.language, picture),
          ]);
          const file = card.file && card.file.text.length <= FILE_MAX ? card.file : undefined;
          return { asked, file, alt: picture?.alt, ...Object.fromEntries(shown) };
        },
      });
      addEndpoint(scope, {
        ...questions,
        url: `${ASSETS_PATH}/suggest`,
        limit: limitOf('suggestions', most * SUGGESTIONS_AN_ASK),
        answer: async (request) => ({
          completions: await complete(answerer, request, options.sandbox),
        }),
      });
    });
  };
}
