import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Html, html, inlineCode } from '#base';
import type { Compressor } from '#http/api/answer/compressor';
import { PROBLEMS } from '#http/api/answer/problems';
import { type PageSender, staticPage } from '#http/api/answer/static-page';
import type { Exchange } from '#http/api/server/exchange';
import { TIERS } from '#reputation';
import type { Examples, LiveExamples } from './examples.ts';
import {
  type ChangelogVersion,
  changelogSection,
  deprecationSection,
  errorsSection,
  httpSection,
  keysSection,
  limitsSection,
  readChangelog,
  startSection,
} from './guide.ts';
import { copyGuide, webhooksGuide } from './guides/changes.ts';
import { type Guide, type GuideOptions, gateGuide, leaderboardGuide } from './guides/reading.ts';
import type { OpenApiDocument } from './openapi.ts';
import { codeBlock, resourceCard } from './resource.ts';
import { number, WORDS } from './words.ts';

/** The style of the pages that the API serves itself. Inline, so that a page is one request. */
const STYLE = `
:root{color-scheme:light dark;--bg:#f6f9fa;--card:#fff;--ink:#10242e;--soft:#4a616d;--line:#d5e0e5;
--accent:#0a6478;--code:#eaf1f4;--pre:#0d2029;--pre-ink:#d7e6ec;--key:#8fd3e6;--str:#a9dfb5;--num:#f3c98b;
--get:#0a6478;--warn:#8f3d12;--sans:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
@media (prefers-color-scheme:dark){:root{--bg:#08161d;--card:#0e212b;--ink:#e2edf1;--soft:#a3b8c2;--line:#21404e;
--accent:#6fd0e4;--code:#15303c;--pre:#051016;--get:#8fdcec;--warn:#f0ab84}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem;-webkit-text-size-adjust:100%}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--bg);color:var(--ink);font:1rem/1.6 var(--sans);overflow-wrap:break-word}
a{color:var(--accent);text-underline-offset:.18em}
a:focus-visible,.scroll:focus-visible,pre:focus-visible,summary:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-999rem;top:0;background:var(--card);padding:.6rem 1rem;z-index:2}
.skip:focus{left:0}
.hero{background:linear-gradient(170deg,#0f7d94 0%,#0b4f68 45%,#082a3e 100%);color:#fff}
.hero{padding:3rem 0 2.25rem}
.hero>div{max-width:76rem;margin:0 auto;padding:0 1.25rem;position:relative}
.depths{display:none}
.hero a{color:#fff}
.hero h1{margin:0;font-size:clamp(2rem,5vw,2.9rem);line-height:1.1;letter-spacing:-.02em}
.hero .lead{margin:.8rem 0 1.4rem;max-width:40rem;font-size:1.12rem;color:#dcf0f5}
.hero .demo{width:fit-content;margin:0 0 1rem;padding:.4rem .8rem;border-radius:8px;background:#fff;color:#0b4f68;font-weight:600}
.base{display:inline-flex;flex-wrap:wrap;gap:.2rem .8rem;align-items:baseline;background:rgba(0,0,0,.28);
border:1px solid rgba(255,255,255,.22);border-radius:10px;padding:.55rem .9rem;max-width:100%}
.base span{font-size:.82rem;color:#cfe7ee}
.base code{background:none;color:#fff;padding:0;font-size:1rem;overflow-wrap:anywhere}
.hero p.links{margin:1rem 0 0;display:flex;flex-wrap:wrap;gap:.4rem 1.4rem}
.frame{max-width:76rem;margin:0 auto;padding:0 1.25rem}
.contents{padding:1.4rem 0 0}
.contents ul{list-style:none;margin:0 0 .9rem;padding:0;display:flex;flex-wrap:wrap;gap:.1rem 1.1rem}
.contents h2{font-size:.78rem;letter-spacing:.08em;text-transform:uppercase;color:var(--soft);margin:0 0 .2rem;border:0;padding:0}
.contents a{display:inline-block;padding:.22rem 0;text-decoration:none}
.contents a:hover{text-decoration:underline}
main{min-width:0;padding:.5rem 0 4rem}
section{margin:2.6rem 0 0}
h2{font-size:1.6rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 .8rem;padding-bottom:.4rem;border-bottom:1px solid var(--line)}
h3{font-size:1.25rem;line-height:1.3;margin:0 0 .5rem}
h4{font-size:.95rem;margin:1.4rem 0 .4rem}
p{margin:.6rem 0;max-width:46rem}
ul{max-width:46rem}
code{font-family:var(--mono);font-size:.88em;background:var(--code);padding:.1em .35em;border-radius:5px;overflow-wrap:anywhere}
pre{background:var(--pre);color:var(--pre-ink);padding:.95rem 1.1rem;border-radius:10px;overflow-x:auto;margin:.5rem 0;
font:.84rem/1.55 var(--mono);border:1px solid transparent;color-scheme:dark;scrollbar-width:thin}
pre.command{white-space:pre-wrap}
pre.command code{overflow-wrap:anywhere}
@media (prefers-color-scheme:dark){pre{border-color:var(--line)}}
pre code{background:none;padding:0;font-size:inherit;overflow-wrap:normal}
.k{color:var(--key)}.s{color:var(--str)}.n{color:var(--num)}
.note{color:var(--soft);font-size:.92rem}
.deprecated{font:700 .75rem var(--sans);color:var(--warn);border:1.5px solid currentColor;border-radius:6px;padding:.05rem .4rem;text-decoration:none;vertical-align:middle}
details{margin:.4rem 0}
summary{cursor:pointer;width:fit-content;padding:.2rem 0;font-size:.95rem;font-weight:600}
.version h3{font-size:1rem;margin:.8rem 0 .2rem}
.version ul{margin:.2rem 0;padding-left:1.2rem}
.code{position:relative}
.copy+pre{padding-top:2.8rem}
button{font:600 .9rem var(--sans);color:var(--card);background:var(--accent);border:0;border-radius:8px;padding:.55rem 1rem;cursor:pointer}
.copy{position:absolute;right:.5rem;top:.5rem;padding:.3rem .7rem;font-size:.8rem;color:var(--pre-ink);background:#1c3642}
.try p{margin:.5rem 0}
.try label{display:inline-block;min-width:6rem}
.try input,.try select{font:inherit;font-size:.95rem;color:var(--ink);background:var(--bg);border:1px solid var(--soft);border-radius:8px;padding:.45rem .6rem;max-width:100%}
.try input::placeholder{color:var(--soft);opacity:1}
.try input[name=address]{width:100%;font-family:var(--mono);font-size:.85rem}
.try input[type=number]{width:9rem}
.try output{overflow-wrap:anywhere;font-family:var(--mono);font-size:.88rem}
.try pre{max-height:26rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:1.25rem 1.3rem;margin:1.2rem 0}
.card>:last-child{margin-bottom:0}
.path{display:flex;flex-wrap:wrap;gap:.4rem .7rem;align-items:center;font-family:var(--mono);font-size:.98rem;margin:0 0 .7rem;overflow-wrap:anywhere}
.verb{color:var(--get);border:1.5px solid var(--get);border-radius:6px;font-weight:700;font-size:.78rem;padding:.08rem .5rem;letter-spacing:.04em}
.path i{font-style:normal;color:var(--warn)}
.scroll{overflow-x:auto;scrollbar-width:thin;margin:.5rem 0}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .9rem .5rem 0;border-bottom:1px solid var(--line)}
th{font-size:.8rem;color:var(--soft);font-weight:600}
tbody th{font-size:.92rem;color:var(--ink);font-weight:400;white-space:nowrap}
td{min-width:4.5rem}
td code{overflow-wrap:normal;white-space:nowrap}
td:last-child{min-width:11rem;padding-right:0}
tbody tr:last-child>*{border-bottom:0}
thead th{padding-bottom:.3rem}
.codes{display:flex;flex-wrap:wrap;gap:.35rem .5rem;list-style:none;padding:0;margin:.3rem 0}
.codes a{text-decoration:none}
.codes a:hover code{text-decoration:underline}
.error h3{display:flex;flex-wrap:wrap;gap:.3rem .7rem;align-items:baseline;font-size:1.05rem;margin-bottom:.2rem}
.error h3 code{font-size:1rem}
.error h3 .title{font-weight:600}
.error{border-top:1px solid var(--line);padding:1rem 0 .6rem}
.error:target{background:var(--code);box-shadow:-.8rem 0 0 var(--code),.8rem 0 0 var(--code)}
.status{font:700 .8rem var(--mono);color:var(--warn);border:1.5px solid currentColor;border-radius:6px;padding:.05rem .4rem}
.error p{margin:.25rem 0}
footer{border-top:1px solid var(--line);color:var(--soft);padding:1.4rem 0 2.5rem;font-size:.9rem}
@media (min-width:64rem){
.frame{display:grid;grid-template-columns:13.5rem minmax(0,1fr);gap:0 3rem}
.contents{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:2.6rem 0}
.contents ul{display:block;margin-bottom:1.2rem}
footer{grid-column:2}
.copy+.command{padding:.95rem 6rem .95rem 1.1rem}
.depths{display:block;position:absolute;right:1.25rem;top:2.6rem;margin:0;padding:0 0 0 1.1rem;list-style:none;width:15rem;
border-left:1px solid rgba(255,255,255,.35);font-size:.92rem}
.depths li{position:relative;padding:.28rem 0;color:#dcf0f5}
.depths li::before{content:"";position:absolute;left:-1.1rem;top:50%;width:.6rem;border-top:1px solid rgba(255,255,255,.55)}
.depths li:nth-child(n+4){color:#fff;font-weight:600}
}
@media print{nav,.skip,.try,.copy{display:none}.card{break-inside:avoid}}
`;

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
