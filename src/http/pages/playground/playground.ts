import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { type Html, html, type Logger, type RateCounterMaker } from '#base';
import { type Caller, type Card, type CardPicture, pictureOn } from '#command';
import {
  createDocument,
  languageLinks,
  radio,
  type Theme,
  themeChoice,
} from '#http/pages/document';
import { addEndpoint, answerErrors } from '#http/pages/endpoint';
import { limitedTo } from '#http/pages/guard';
import { addAssets, secretAssets } from '#http/pages/static';
import type { Words } from '#http/pages/words/index';
import { ask, type ChatFallbacks, type PlaygroundAnswerer, readRequest, TYPED_MAX } from './ask.ts';
import { complete } from './complete.ts';

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
      addAssets(scope, secretAssets(ASSETS_PATH));
      const questions = { bodyLimit: BODY_MAX, read: readRequest };
      addEndpoint(scope, {
        ...questions,
        url: `${ASSETS_PATH}/ask`,
        limit: limitOf('asks', most),
        async answer(request) {
          const { card, asked, posted } = await ask(answerer, request, codeOf, options);
          const { caller, words } = request;
          const picture = await pictureOn(card);
          const drawn = (which: Card, its: CardPicture | undefined) =>
            Object.fromEntries(
              previews.map(({ id, render }) => [id, render(which, caller, words.language, its)]),
            );
          const file = card.file && card.file.text.length <= FILE_MAX ? card.file : undefined;
          return {
            ...{ asked, file, alt: picture?.alt, ...drawn(card, picture) },
            ...(posted !== undefined && { posted: drawn(posted, undefined) }),
          };
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

/** Path of the page's assets. */
const ASSETS_PATH = '/playground';

/** A chat to preview. */
interface Chat {
  readonly id: string;
  readonly label: string;
}

/**
 * The page in one language and theme. Both are rendered on the server, so nothing changes once the
 * scripts run.
 */
function renderPage(words: Words, theme: Theme, isDemo: boolean, chats: readonly Chat[]): string {
  const { page } = words;
  return html`<!doctype html>
<html lang="${words.language}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<title>${page.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${page.headline}">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${ASSETS_PATH}/icon.svg">
${['base', 'frame', 'page', 'ask', 'chats', 'discord'].map(stylesheet)}
<script type="module" src="${ASSETS_PATH}/app.js"></script>
</head>
<body data-words="${JSON.stringify(words.browser)}">
<a class="skip" href="#q">${page.skip}</a>
<header class="bar">
<a class="brand" href="/"><img src="${ASSETS_PATH}/icon.svg" alt="" width="32" height="32">Fathom</a>
<nav class="links"><a href="/leaderboard">${words.pages.leaderboard.title}</a><a href="/stats">${words.pages.stats.title}</a><a href="/docs" hreflang="en">${page.docs}</a><a href="/openapi.json">${page.openApi}</a></nav>
<nav class="links" id="languages" aria-label="${page.languages}">${languageLinks(words, (language) => `/?lang=${language}`)}</nav>
${themeChoice(words, theme)}
</header>
<main>
<h1>${page.headline}</h1>
<p class="lead">${page.lead}</p>
${isDemo ? html`<p class="notice demo">${page.demo}</p>\n` : undefined}<noscript><p class="notice">${page.noScript} <a href="/leaderboard">${words.pages.leaderboard.title}</a> · <a href="/docs" hreflang="en">/docs</a>.</p></noscript>
<form id="ask" action="/" method="get" role="search">
<label for="q">${page.command}</label>
<div class="line">
<input id="q" name="q" type="text" maxlength="${TYPED_MAX}" placeholder="/rep 0x…" role="combobox" aria-autocomplete="list" aria-expanded="false" aria-controls="suggestions" aria-describedby="hint" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false" enterkeyhint="send">
<button type="submit">${page.ask}</button>
<ul id="suggestions" role="listbox" aria-label="${page.suggestions}" hidden></ul>
</div>
<p id="hint" class="hint">${page.hint}</p>
</form>
<div class="examples needs-script">
<h2 id="examples-title">${page.examples}</h2>
<ul id="examples" aria-labelledby="examples-title"></ul>
</div>
<fieldset class="choice needs-script" id="views">
<legend>${page.views}</legend>
${chats.map(({ id, label }, i) => radio('view', id, label, i === 0))}
</fieldset>
<div class="panels needs-script" id="panels">
${chats.map(panel)}
</div>
<p id="status" class="unseen" role="status" aria-live="polite"></p>
</main>
</body>
</html>
`.text;
}

function stylesheet(name: string): Html {
  return html`<link rel="stylesheet" href="${ASSETS_PATH}/${name}.css">`;
}

/** Narrow screens only show the selected panel. */
function panel({ id, label }: Chat, i: number): Html {
  const inView = i === 0 ? ' data-in-view' : '';
  return html`<section class="panel" aria-labelledby="${id}-name"${inView}><h2 id="${id}-name">${label}</h2><div class="chat ${id}" id="${id}" tabindex="-1"></div></section>`;
}
