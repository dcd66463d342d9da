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
import { chooseLanguage, type DocsLanguage, LANGUAGE_NAMES } from './language.ts';
import { codeBlock, resourceCard } from './resource.ts';
import { STYLE } from './style.ts';

interface PagesOptions extends Pick<DocsOptions, 'isDemo' | 'limits'> {
  readonly document: () => OpenApiDocument;
  /** Base URL of the API, ending in `/v1`. */
  readonly baseUrl: () => string;
  readonly examples: LiveExamples;
  readonly compressor: Compressor;
}

/** The page in each language, rendered again when its examples have changed. */
export class DocsPages {
  readonly #options: PagesOptions;
  readonly #changelog = readChangelog();
  readonly #rendered = new Map<DocsLanguage, { examples: Examples; send: PageSender }>();

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  async send(exchange: Exchange): Promise<void> {
    const language = chooseLanguage(exchange.url, exchange.req.headers['accept-language']);
    const examples = await this.#options.examples.current();
    let page = this.#rendered.get(language);
    if (page?.examples !== examples) {
      page = { examples, send: this.#render(examples, language) };
      this.#rendered.set(language, page);
    }
    page.send(exchange);
  }

  #render(examples: Examples, language: DocsLanguage): PageSender {
    const { document, baseUrl, isDemo, limits, compressor } = this.#options;
    const options = { document: document(), baseUrl: baseUrl(), isDemo, limits, examples };
    const page = renderDocs({ ...options, changelog: this.#changelog }, language);
    return staticPage(page, compressor);
  }
}

/** What the page is made from, whatever its language. */
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
function renderDocs(options: DocsOptions, language: DocsLanguage) {
  const { document, baseUrl, examples, changelog } = options;
  const { texts } = language;
  const words = texts.docs;
  const operations = Object.entries(document.paths).map(([path, { get }]) => ({ path, get }));
  const cards = operations.map(({ path, get }) => {
    const example = examples.byId.get(get.operationId);
    if (example === undefined) throw new Error(`${get.operationId} has no example`);
    const { address } = examples;
    return resourceCard({ path, operation: get, document, baseUrl, example, address, language });
  });
  const parts = {
    path: '/docs',
    title: words.title,
    description: language.translate(document.info.summary),
    hero: hero(options, language),
    navigation: navigation(operations, changelog.length > 0, language),
    content: [
      startSection(baseUrl, examples, language),
      html`\n<section id="resources" aria-labelledby="resources-title">
<h2 id="resources-title">${words.resources.title}</h2>
${cards}
</section>\n`,
      limitsSection(options.limits, language),
      keysSection(baseUrl, language),
      httpSection(language),
      errorsSection(document, language),
      deprecationSection(document, language),
      changelog.length === 0 ? '' : changelogSection(changelog, language),
    ],
  };
  return docsPage(parts, language);
}

function hero({ document, baseUrl, isDemo }: DocsOptions, language: DocsLanguage): Html {
  const { texts, translate } = language;
  const words = texts.docs;
  return html`<header class="hero"><div>
${docsLanguages('/docs', language)}
<h1>${words.title}</h1>
<p class="lead">${inlineCode(`${translate(document.info.summary)}: ${words.lead}`)}</p>
${isDemo ? html`<p class="demo">${words.demo}</p>\n` : ''}<p class="base"><span>${words.baseUrl}</span><code>${baseUrl}</code></p>
<p class="links"><a href="/?lang=${texts.language}">${words.playground}</a><a href="/openapi.json">${words.openApi(document.openapi.slice(0, 3))}</a><a href="/docs/guides?lang=${texts.language}">${words.guides.title}</a><a href="#errors">${words.errorCodes}</a></p>
<ol class="depths" aria-hidden="true">${[...TIERS].reverse().map((tier) => html`<li>${texts.tiers[tier]}</li>`)}</ol>
</div></header>`;
}

function navigation(
  operations: readonly { get: { operationId: string; summary: string } }[],
  hasChangelog: boolean,
  { texts, translate }: DocsLanguage,
): Html {
  const { docs } = texts;
  const resources = operations.map(
    ({ get }) => html`<li><a href="#${get.operationId}">${translate(get.summary)}</a></li>`,
  );
  const sections = ['start', 'limits', 'keys', 'http', 'deprecation'] as const;
  const guide = [...sections, ...(hasChangelog ? (['changelog'] as const) : [])].map(
    (id) => html`<li><a href="#${id}">${docs[id].title}</a></li>\n`,
  );
  return html`<nav class="contents" aria-label="${docs.contents}">
<h2>${docs.guide}</h2>
<ul>
${guide}</ul>
<h2>${docs.resources.title}</h2>
<ul>${resources}</ul>
<h2>${docs.errors.title}</h2>
<ul><li><a href="#errors">${docs.allCodes(texts.number(Object.keys(PROBLEMS).length))}</a></li></ul>
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
  /** Where the page is. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly hero: Html;
  readonly navigation: Html;
  readonly content: readonly (Html | string)[];
}

/** A page of the docs with all that they share. */
function docsPage(parts: PageParts, language: DocsLanguage) {
  const { texts } = language;
  const words = texts.docs;
  const body = html`<!doctype html>
<html lang="${texts.language}">
${head(parts)}
<body${browserWords(language)}>
<a class="skip" href="#content">${words.skip}</a>
${parts.hero}
<div class="frame">
${parts.navigation}
<main id="content" tabindex="-1">
${parts.content}
</main>
<footer>${words.footer}</footer>
</div>
<p id="status" class="unseen" role="status"></p>
<script type="module">${new Html(SCRIPT)}</script>
</body>
</html>
`;
  const headers = ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'no-referrer'];
  headers.push('Content-Language', texts.language);
  return {
    body: body.text,
    contentType: 'text/html; charset=utf-8',
    vary: 'Accept-Language',
    headers,
  };
}

/** Links to the same page in each language. */
function docsLanguages(path: string, { texts }: DocsLanguage): Html {
  const languages = LANGUAGE_NAMES.map(([code, name]) => {
    const current = code === texts.language ? html` aria-current="true"` : '';
    return html`<a href="${path}?lang=${code}" hreflang="${code}" lang="${code}"${current}>${name}</a>`;
  });
  return html`<nav class="languages" aria-label="${texts.docs.languages}">${languages}</nav>`;
}

function head({ path, title, description }: PageParts): Html {
  const languages = LANGUAGE_NAMES.map(
    ([code]) => html`<link rel="alternate" hreflang="${code}" href="${path}?lang=${code}">\n`,
  );
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="/favicon.ico">
${languages}<style>${new Html(STYLE)}</style>
</head>`;
}

/** What the script says. */
function browserWords({ texts }: DocsLanguage): Html[] {
  const { copy, copied, marked, sending, unreachable } = texts.docs.tryIt;
  return Object.entries({ copy, copied, marked, sending, unreachable }).map(
    ([name, text]) => html` data-${name}="${text}"`,
  );
}

/** Where the page is. */
export const GUIDES_PATH = '/docs/guides';

const GUIDES: readonly Guide[] = [gateGuide, leaderboardGuide, copyGuide, webhooksGuide];

/** Tasks from beginning to end, with programs to copy. */
export function renderGuides(options: GuideOptions, language: DocsLanguage) {
  const { texts } = language;
  const words = texts.docs.guides;
  const links = GUIDES.map(({ id }) => html`<li><a href="#${id}">${words[id].title}</a></li>\n`);
  const parts = {
    path: GUIDES_PATH,
    title: `${words.title} · ${texts.docs.title}`,
    description: words.lead,
    hero: html`<header class="hero"><div>
${docsLanguages(GUIDES_PATH, language)}
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
<p class="links"><a href="/docs?lang=${texts.language}">${texts.docs.title}</a><a href="/?lang=${texts.language}">${texts.docs.playground}</a></p>
</div></header>`,
    navigation: html`<nav class="contents" aria-label="${texts.docs.contents}">
<h2>${words.title}</h2>
<ul>
${links}</ul>
</nav>`,
    content: GUIDES.map((guide) => section(guide, options, language)),
  };
  return docsPage(parts, language);
}

function section(guide: Guide, options: GuideOptions, { texts }: DocsLanguage): Html {
  const { id } = guide;
  const { title, points } = texts.docs.guides[id];
  const programs = guide.programs(options);
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${points.map((each) => html`<p>${inlineCode(each)}</p>\n`)}
${programs.map((each, i) => codeBlock(each, i === 0, id, title))}
</section>
`;
}
