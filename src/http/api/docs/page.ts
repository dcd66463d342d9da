import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Html, html, inlineCode } from '#base';
import type { Compressor } from '#http/api/answer/compressor';
import { PROBLEMS } from '#http/api/answer/problems';
import { type PageSender, staticPage } from '#http/api/answer/static-page';
import type { OpenApiDocument } from '#http/api/docs/openapi';
import type { Exchange } from '#http/api/server/exchange';
import { TIERS } from '#reputation';
import { type ChangelogVersion, readChangelog } from './changelog.ts';
import type { Examples, LiveExamples } from './examples.ts';
import {
  changelogSection,
  deprecationSection,
  errorsSection,
  httpSection,
  keysSection,
  limitsSection,
  startSection,
} from './guide.ts';
import { copyGuide, webhooksGuide } from './guides/changes.ts';
import { type Guide, type GuideOptions, gateGuide, leaderboardGuide } from './guides/reading.ts';
import { codeBlock, resourceCard } from './resource.ts';
import { STYLE } from './style.ts';
import { number, WORDS } from './words.ts';

interface PageOptions extends Pick<DocsOptions, 'isDemo' | 'limits'> {
  readonly document: () => OpenApiDocument;
  /** Base URL of the API, ending in `/v1`. */
  readonly baseUrl: () => string;
  readonly examples: LiveExamples;
  readonly compressor: Compressor;
}

/** The page, rendered again when its examples have changed. */
export class DocsPage {
  readonly #options: PageOptions;
  readonly #changelog = readChangelog();
  #rendered: { examples: Examples; send: PageSender } | undefined;

  constructor(options: PageOptions) {
    this.#options = options;
  }

  async send(exchange: Exchange): Promise<void> {
    const examples = await this.#options.examples.current();
    if (this.#rendered?.examples !== examples) {
      this.#rendered = { examples, send: this.#render(examples) };
    }
    this.#rendered.send(exchange);
  }

  #render(examples: Examples): PageSender {
    const { document, baseUrl, isDemo, limits, compressor } = this.#options;
    const options = { document: document(), baseUrl: baseUrl(), isDemo, limits, examples };
    return staticPage(renderDocs({ ...options, changelog: this.#changelog }), compressor);
  }
}

/** What the page is made from. */
interface DocsOptions {
  readonly document: OpenApiDocument;
  /** Base URL of the API, ending in `/v1`. */
  readonly baseUrl: string;
  /** Whether the wallets are made up, which the page then says. */
  readonly isDemo: boolean;
  readonly limits: { readonly public: number; readonly key: number };
  readonly changelog: readonly ChangelogVersion[];
  readonly examples: Examples;
}

/** The page for people, made from the OpenAPI document. */
function renderDocs(options: DocsOptions) {
  const { document, baseUrl, examples, changelog } = options;
  const operations = Object.entries(document.paths).map(([path, { get }]) => ({ path, get }));
  const cards = operations.map(({ path, get }) => {
    const example = examples.byId.get(get.operationId);
    if (example === undefined) throw new Error(`${get.operationId} has no example`);
    const { address } = examples;
    return resourceCard({ path, operation: get, document, baseUrl, example, address });
  });
  const parts = {
    title: WORDS.title,
    description: document.info.summary,
    hero: hero(options),
    navigation: navigation(operations, changelog.length > 0),
    content: [
      startSection(baseUrl, examples),
      html`\n<section id="resources" aria-labelledby="resources-title">
<h2 id="resources-title">${WORDS.resources.title}</h2>
${cards}
</section>\n`,
      limitsSection(options.limits),
      keysSection(baseUrl),
      httpSection(),
      errorsSection(document),
      deprecationSection(document),
      changelog.length === 0 ? '' : changelogSection(changelog),
    ],
  };
  return docsPage(parts);
}

function hero({ document, baseUrl, isDemo }: DocsOptions): Html {
  const tiers = [...TIERS].reverse().map((tier) => html`<li>${tier}</li>`);
  return html`<header class="hero"><div>
<h1>${WORDS.title}</h1>
<p class="lead">${inlineCode(`${document.info.summary}: ${WORDS.lead}`)}</p>
${isDemo ? html`<p class="demo">${WORDS.demo}</p>\n` : ''}<p class="base"><span>${WORDS.baseUrl}</span><code>${baseUrl}</code></p>
<p class="links"><a href="/">${WORDS.playground}</a><a href="/openapi.json">${WORDS.openApi(document.openapi.slice(0, 3))}</a><a href="${GUIDES_PATH}">${WORDS.guides.title}</a><a href="#errors">${WORDS.errorCodes}</a></p>
<ol class="depths" aria-hidden="true">${tiers}</ol>
</div></header>`;
}

function navigation(
  operations: readonly { get: { operationId: string; summary: string } }[],
  hasChangelog: boolean,
): Html {
  const resources = operations.map(
    ({ get }) => html`<li><a href="#${get.operationId}">${get.summary}</a></li>`,
  );
  const sections = ['start', 'limits', 'keys', 'http', 'deprecation'] as const;
  const guide = [...sections, ...(hasChangelog ? (['changelog'] as const) : [])].map(
    (id) => html`<li><a href="#${id}">${WORDS[id].title}</a></li>\n`,
  );
  return html`<nav class="contents" aria-label="${WORDS.contents}">
<h2>${WORDS.guide}</h2>
<ul>
${guide}</ul>
<h2>${WORDS.resources.title}</h2>
<ul>${resources}</ul>
<h2>${WORDS.errors.title}</h2>
<ul><li><a href="#errors">${WORDS.allCodes(number(Object.keys(PROBLEMS).length))}</a></li></ul>
</nav>`;
}

const SCRIPT = readFileSync(new URL('./page-script.js', import.meta.url), 'utf8');

/** Nothing is loaded from elsewhere; the style and the script are known by their hashes. */
const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

function hashOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}

/** What differs between the pages of the docs. */
interface PageParts {
  readonly title: string;
  readonly description: string;
  readonly hero: Html;
  readonly navigation: Html;
  readonly content: readonly (Html | string)[];
}

/** A page of the docs with all that they share. */
function docsPage(parts: PageParts) {
  const body = html`<!doctype html>
<html lang="en">
${head(parts)}
<body${browserWords()}>
<a class="skip" href="#content">${WORDS.skip}</a>
${parts.hero}
<div class="frame">
${parts.navigation}
<main id="content" tabindex="-1">
${parts.content}
</main>
<footer>${WORDS.footer}</footer>
</div>
<p id="status" class="unseen" role="status"></p>
<script type="module">${new Html(SCRIPT)}</script>
</body>
</html>
`;
  const headers = ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'no-referrer'];
  headers.push('Content-Language', 'en');
  return { body: body.text, contentType: 'text/html; charset=utf-8', headers };
}

function head({ title, description }: PageParts): Html {
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="/favicon.ico">
<style>${new Html(STYLE)}</style>
</head>`;
}

/** What the script says. */
function browserWords(): Html[] {
  const { copy, copied, marked, sending, unreachable } = WORDS.tryIt;
  return Object.entries({ copy, copied, marked, sending, unreachable }).map(
    ([name, text]) => html` data-${name}="${text}"`,
  );
}

/** Where the page is. */
export const GUIDES_PATH = '/docs/guides';

const GUIDES: readonly Guide[] = [gateGuide, leaderboardGuide, copyGuide, webhooksGuide];

/** Tasks from beginning to end, with programs to copy. */
export function renderGuides(options: GuideOptions) {
  const words = WORDS.guides;
  const links = GUIDES.map(({ id }) => html`<li><a href="#${id}">${words[id].title}</a></li>\n`);
  const parts = {
    title: `${words.title} · ${WORDS.title}`,
    description: words.lead,
    hero: html`<header class="hero"><div>
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
<p class="links"><a href="/docs">${WORDS.title}</a><a href="/">${WORDS.playground}</a></p>
</div></header>`,
    navigation: html`<nav class="contents" aria-label="${WORDS.contents}">
<h2>${words.title}</h2>
<ul>
${links}</ul>
</nav>`,
    content: GUIDES.map((guide) => section(guide, options)),
  };
  return docsPage(parts);
}

function section(guide: Guide, options: GuideOptions): Html {
  const { id } = guide;
  const { title, points } = WORDS.guides[id];
  const programs = guide.programs(options);
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${points.map((each) => html`<p>${inlineCode(each)}</p>\n`)}
${programs.map((each, i) => codeBlock(each, i === 0, id, title))}
</section>
`;
}
