import { type Html, html, inlineCode } from '#base';
import type { OpenApiDocument } from '#http/api/openapi';
import { PROBLEMS } from '#http/api/problems';
import { TIERS } from '#reputation';
import type { ChangelogVersion } from './changelog.ts';
import type { Examples } from './examples.ts';
import { docsLanguages, docsPage } from './frame.ts';
import {
  changelogSection,
  deprecationSection,
  errorsSection,
  httpSection,
  keysSection,
  limitsSection,
  startSection,
} from './guide.ts';
import type { DocsLanguage } from './language.ts';
import { resourceCard } from './resource.ts';

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
