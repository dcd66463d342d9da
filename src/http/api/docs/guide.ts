import { readFileSync } from 'node:fs';
import { type Html, html, inlineCode, jsonBlock } from '#base';
import { PROBLEMS, problemBody } from '#http/api/answer/problems';
import { leaderboardRoute } from '#http/api/resources/platform';
import { createQueryReader } from '#http/api/routes/query';
import { curl, table } from './code.ts';
import type { Examples } from './examples.ts';
import type { OpenApiDocument } from './openapi.ts';
import { copyable } from './resource.ts';
import { number, WORDS } from './words.ts';

/** The parts of the page that are not about one resource. */

export function startSection(baseUrl: string, { address, byId }: Examples): Html {
  const words = WORDS.start;
  const [first] = byId.values();
  return section(
    'start',
    words.title,
    html`<p>${words.about}</p>
${address === undefined ? html`<p class="note">${inlineCode(words.noWallet)}</p>` : ''}
${copyable('curl', curl(`${baseUrl}${first?.request ?? ''}`), 'command')}
<p>${words.tiers}</p>
<p>${inlineCode(words.format)}</p>`,
  );
}

export function limitsSection(limits: { public: number; key: number }): Html {
  const words = WORDS.limits;
  const left = Math.max(0, limits.public - 1);
  const rows: [header: string, example: string, meaning: string][] = [
    ['RateLimit-Policy', `"public";q=${limits.public};w=60`, words.policy],
    ['RateLimit', `"public";r=${left};t=41`, words.left],
    ['X-RateLimit-Limit', String(limits.public), words.sameLimit],
    ['X-RateLimit-Remaining', String(left), words.remaining],
    ['X-RateLimit-Reset', '1765809060', words.reset],
    ['Retry-After', '41', words.retryAfter],
  ];
  return section(
    'limits',
    words.title,
    html`${table(
      words.table,
      [words.who, words.perMinute, words.countedBy],
      [
        [words.withoutKey, number(limits.public), words.byAddress],
        [words.withKey, number(limits.key), words.byKey],
      ],
    )}
<p>${inlineCode(words.about)}</p>
${table(
  words.headers,
  [words.header, words.example, WORDS.resources.meaning],
  rows.map(([header, example, meaning]) => [
    html`<code>${header}</code>`,
    html`<code>${example}</code>`,
    meaning,
  ]),
)}`,
  );
}

export function keysSection(baseUrl: string): Html {
  const words = WORDS.keys;
  const command = curl(`${baseUrl}/stats/global`, "-H 'Authorization: Bearer fth_…' ");
  return section(
    'keys',
    words.title,
    html`<p>${inlineCode(words.about)}</p>
<pre class="command" tabindex="0"><code>${command}</code></pre>
<p>${inlineCode(words.rules)}</p>`,
  );
}

export function httpSection(): Html {
  const words = WORDS.http;
  const points = Object.values(words.points).map((each) => html`<li>${inlineCode(each)}</li>\n`);
  return section('http', words.title, html`<ul>\n${points}</ul>`);
}

export function errorsSection(document: OpenApiDocument): Html {
  const words = WORDS.errors;
  const known = new Set<string>(document.components.schemas.Problem.properties.code.enum);
  return section(
    'errors',
    words.title,
    html`<p>${inlineCode(words.about)}</p>
<pre tabindex="0"><code>${jsonBlock(exampleProblem())}</code></pre>
${Object.entries(PROBLEMS)
  .filter(([code]) => known.has(code))
  .map(
    ([code, { status, title, meaning, remedy }]) => html`<article class="error" id="${code}">
<h3><span class="status">${status}</span><code>${code}</code><span class="title">${title}</span></h3>
<p>${inlineCode(meaning)}</p>
<p>${inlineCode(remedy)}</p>
</article>`,
  )}`,
  );
}

/** What the API really says about such a request. */
function exampleProblem(): unknown {
  const read = createQueryReader(leaderboardRoute.query)('limit=0');
  if (!('problem' in read)) throw new Error('limit=0 is an error');
  return JSON.parse(problemBody(read.problem, '/v1/leaderboard', '4f1c9a2be07d-8k'));
}

/** The policy, and what is deprecated now. */
export function deprecationSection(document: OpenApiDocument): Html {
  const words = WORDS.deprecation;
  const rows = Object.entries(document.paths).flatMap(([path, { get }]) => {
    const deprecation = get['x-deprecation'];
    if (deprecation === undefined) return [];
    const { fields = [], since, sunset, instead } = deprecation;
    const names = fields.map((field) => html` <code>${field}</code>`);
    const day = (date: string) => html`<time datetime="${date}">${date.slice(0, 10)}</time>`;
    return [[html`<code>/v1${path}</code>${names}`, day(since), day(sunset), inlineCode(instead)]];
  });
  const heads = [words.what, words.since, words.sunset, words.instead];
  return section(
    'deprecation',
    words.title,
    html`<p>${inlineCode(words.about)}</p>
<p>${inlineCode(words.headers)}</p>
${rows.length === 0 ? html`<p>${words.none}</p>` : table(words.table, heads, rows)}`,
  );
}

/** The newest versions, the first one open. */
export function changelogSection(versions: readonly ChangelogVersion[]): Html {
  const words = WORDS.changelog;
  return section(
    'changelog',
    words.title,
    html`<p>${words.about}</p>
${versions.map(
  (
    { name, groups },
    i,
  ) => html`<details class="version"${i === 0 ? html` open` : ''}><summary>${name}</summary>
${groups.map(
  (group) => html`<h3>${group.name}</h3>
<ul>${group.changes.map((each) => html`<li>${inlineCode(each)}</li>`)}</ul>`,
)}</details>`,
)}`,
  );
}

function section(id: string, title: string, content: Html): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>`;
}

/** What changed in one version. */
export interface ChangelogVersion {
  readonly name: string;
  readonly groups: readonly ChangelogGroup[];
}

interface ChangelogGroup {
  readonly name: string;
  /** Sentences in which `backticks` mark code. */
  readonly changes: string[];
}

/** The page shows this many versions. */
const VERSIONS_MAX = 5;

/** @returns the newest versions in CHANGELOG.md; none if an installation doesn't have the file */
export function readChangelog(): readonly ChangelogVersion[] {
  try {
    const file = new URL('../../../../CHANGELOG.md', import.meta.url);
    return parseChangelog(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Reads the form of https://keepachangelog.com: `##` versions, `###` groups, `-` changes. */
export function parseChangelog(text: string): readonly ChangelogVersion[] {
  const versions: { name: string; groups: ChangelogGroup[] }[] = [];
  for (const line of text.split('\n')) {
    const [, marker, content = ''] = /^(## |### |- | {2,})(.+)$/.exec(line) ?? [];
    const groups = versions.at(-1)?.groups;
    const changes = groups?.at(-1)?.changes;
    if (marker === '## ') versions.push({ name: plain(content), groups: [] });
    else if (marker === '### ') groups?.push({ name: plain(content), changes: [] });
    else if (marker === '- ') changes?.push(plain(content));
    else if (marker !== undefined) continueLast(changes, plain(content));
  }
  return versions.slice(0, VERSIONS_MAX);
}

function continueLast(changes: string[] | undefined, text: string): void {
  const last = changes?.pop();
  if (last !== undefined) changes?.push(`${last} ${text}`);
}

/** Links and emphasis become their text. */
function plain(text: string): string {
  return text
    .replace(/\[([^\]]+)\](?:\([^)]*\))?/g, '$1')
    .replaceAll('**', '')
    .trim();
}
