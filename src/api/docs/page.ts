import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { OpenApiDocument } from '#api/openapi';
import { PROBLEMS } from '#api/problems';
import { TIERS } from '#core/tier';
import type { ChangelogVersion } from './changelog.ts';
import type { Examples } from './examples.ts';
import {
  changelogSection,
  deprecationSection,
  errorsSection,
  httpSection,
  keysSection,
  limitsSection,
  startSection,
} from './guide.ts';
import { Html, html, inlineCode } from './html.ts';
import { type DocsLanguage, LANGUAGE_NAMES } from './language.ts';
import { resourceCard } from './resource.ts';
import { STYLE } from './style.ts';

/** What the page is made from, whatever its language. */
export interface DocsOptions {
  readonly document: OpenApiDocument;
  /** Base URL of the API, ending in `/v1`. */
  readonly baseUrl: string;
  /** Whether the wallets are made up, which the page then says. */
  readonly isDemo: boolean;
  readonly limits: { readonly public: number; readonly key: number };
  readonly changelog: readonly ChangelogVersion[];
  readonly examples: Examples;
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

/** The page for people, made from the OpenAPI document. */
export function renderDocs(options: DocsOptions, language: DocsLanguage) {
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
  const body = html`<!doctype html>
<html lang="${texts.language}">
${head(document, language)}
<body${browserWords(language)}>
<a class="skip" href="#content">${words.skip}</a>
${hero(options, language)}
<div class="frame">
${navigation(operations, changelog.length > 0, language)}
<main id="content" tabindex="-1">
${startSection(baseUrl, examples, language)}
<section id="resources" aria-labelledby="resources-title">
<h2 id="resources-title">${words.resources.title}</h2>
${cards}
</section>
${limitsSection(options.limits, language)}
${keysSection(baseUrl, language)}
${httpSection(language)}
${errorsSection(document, language)}
${deprecationSection(document, language)}
${changelog.length === 0 ? '' : changelogSection(changelog, language)}
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

function head({ info }: OpenApiDocument, { texts, translate }: DocsLanguage): Html {
  const languages = LANGUAGE_NAMES.map(
    ([code]) => html`<link rel="alternate" hreflang="${code}" href="/docs?lang=${code}">\n`,
  );
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${texts.docs.title}</title>
<meta name="description" content="${translate(info.summary)}">
<link rel="icon" href="/favicon.ico">
${languages}<style>${new Html(STYLE)}</style>
</head>`;
}

function hero(
  { document, baseUrl, isDemo }: DocsOptions,
  { texts, translate }: DocsLanguage,
): Html {
  const words = texts.docs;
  const languages = LANGUAGE_NAMES.map(([code, name]) => {
    const current = code === texts.language ? html` aria-current="true"` : '';
    return html`<a href="/docs?lang=${code}" hreflang="${code}" lang="${code}"${current}>${name}</a>`;
  });
  return html`<header class="hero"><div>
<nav class="languages" aria-label="${words.languages}">${languages}</nav>
<h1>${words.title}</h1>
<p class="lead">${inlineCode(`${translate(document.info.summary)}: ${words.lead}`)}</p>
${isDemo ? html`<p class="demo">${words.demo}</p>\n` : ''}<p class="base"><span>${words.baseUrl}</span><code>${baseUrl}</code></p>
<p class="links"><a href="/?lang=${texts.language}">${words.playground}</a><a href="/openapi.json">${words.openApi(document.openapi.slice(0, 3))}</a><a href="#errors">${words.errorCodes}</a></p>
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

/** What the script says. */
function browserWords({ texts }: DocsLanguage): Html[] {
  const { copy, copied, marked, sending, unreachable } = texts.docs.tryIt;
  return Object.entries({ copy, copied, marked, sending, unreachable }).map(
    ([name, text]) => html` data-${name}="${text}"`,
  );
}
