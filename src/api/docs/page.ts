import { hash } from 'node:crypto';
import type { OpenApiDocument } from '#api/openapi';
import { PROBLEMS } from '#api/problems';
import { TIERS } from '#core/tier';
import { errorsSection, httpSection, keysSection, limitsSection, startSection } from './guide.ts';
import { Html, html, prose } from './html.ts';
import { resourceCard } from './resource.ts';
import { STYLE } from './style.ts';

interface DocsOptions {
  /** Where the API is reached, ending in `/v1`. */
  readonly baseUrl: string;
  /** Whether the wallets are made up, which the page then says. */
  readonly isDemo?: boolean;
  readonly limits: { readonly public: number; readonly key: number };
}

/** A drop of the sea; as data, since the page asks for nothing. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230b4f68'/%3E%3Cpath d='M4 13q4-4 8 0t8 0 8 0M4 20q4-4 8 0t8 0 8 0' fill='none' stroke='%23fff' stroke-width='2.6' stroke-linecap='round'/%3E%3C/svg%3E";

/** Nothing is loaded and nothing runs; the one style is known by its hash. */
const HEADERS = [
  'Content-Security-Policy',
  `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy',
  'no-referrer',
];

/** The page for people, made from the OpenAPI document. */
export function renderDocs(document: OpenApiDocument, options: DocsOptions) {
  const { baseUrl } = options;
  const operations = Object.entries(document.paths).map(([path, { get }]) => ({ path, get }));
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fathom API</title>
<meta name="description" content="${document.info.summary}">
<link rel="icon" href="${ICON}">
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="hero"><div>
<h1>Fathom API</h1>
<p class="lead">${prose(`${document.info.summary}: scores and tiers, badges, activity, a leaderboard and statistics. Read-only, JSON, no sign-up.`)}</p>
${options.isDemo === true ? html`<p class="demo">Demo data: every wallet here is made up.</p>\n` : ''}<p class="base"><span>Base URL</span><code>${baseUrl}</code></p>
<p class="links"><a href="/openapi.json">OpenAPI ${document.openapi.slice(0, 3)} document</a><a href="#errors">Error codes</a></p>
<ol class="depths" aria-hidden="true">${[...TIERS].reverse().map((tier) => html`<li>${tier}</li>`)}</ol>
</div></header>
<div class="frame">
${navigation(operations.map(({ get }) => get))}
<main id="content" tabindex="-1">
${startSection(baseUrl, operations[0]?.get)}
<section id="resources" aria-labelledby="resources-title">
<h2 id="resources-title">Resources</h2>
${operations.map(({ path, get }) => resourceCard({ path, operation: get, document, baseUrl }))}
</section>
${limitsSection(options.limits)}
${keysSection(baseUrl)}
${httpSection()}
${errorsSection(document)}
</main>
<footer>Fathom is free software under the MIT licence.</footer>
</div>
</body>
</html>
`;
  return { body: body.text, contentType: 'text/html; charset=utf-8', headers: HEADERS };
}

function navigation(operations: readonly { operationId: string; summary: string }[]): Html {
  return html`<nav aria-label="Contents">
<h2>Guide</h2>
<ul>
<li><a href="#start">Start</a></li>
<li><a href="#limits">Limits</a></li>
<li><a href="#keys">API keys</a></li>
<li><a href="#http">Caching and HTTP</a></li>
</ul>
<h2>Resources</h2>
<ul>${operations.map((each) => html`<li><a href="#${each.operationId}">${each.summary}</a></li>`)}</ul>
<h2>Errors</h2>
<ul><li><a href="#errors">All ${Object.keys(PROBLEMS).length} codes</a></li></ul>
</nav>`;
}
