import type { OpenApiDocument, Operation } from '#api/openapi';
import { PROBLEMS } from '#api/problems';
import { type Html, html, jsonBlock, prose } from './html.ts';
import { table } from './resource.ts';

/** The parts of the page that are not about one resource. */

export function startSection(baseUrl: string, first: Operation | undefined): Html {
  return html`<section id="start" aria-labelledby="start-title">
<h2 id="start-title">Start</h2>
<p>Ask for any wallet. The chain is detected from the address.</p>
<pre class="command"><code>curl ${baseUrl}${first?.['x-example-request'] ?? ''}</code></pre>
<p>A score is the sum of the points of a wallet's activities, never below 0. Scores fall into five tiers, from the surface down: Shrimp, Dolphin, Shark, Whale, Titan. A rank is 1 + the number of users with a higher score, so equal scores share a rank.</p>
<p>${prose('Everything is read with `GET` and answered in JSON. Times are UTC in whole seconds, such as `2025-12-15T14:30:00Z`. Answers give addresses in their canonical form.')}</p>
</section>`;
}

export function limitsSection(limits: { public: number; key: number }): Html {
  return html`<section id="limits" aria-labelledby="limits-title">
<h2 id="limits-title">Limits</h2>
${table(
  'Limits',
  ['Who', 'Requests a minute', 'Counted by'],
  [
    ['Without a key', String(limits.public), 'network address (of IPv6, the /64)'],
    ['With a key', String(limits.key), 'key'],
  ],
)}
<p>${prose('A minute begins with your first request in it. Every request under `/v1` counts, errors and 304s included. Every answer says how much is left:')}</p>
${table(
  'Headers of the rate limit',
  ['Header', 'Example', 'Meaning'],
  [
    row(
      'RateLimit-Policy',
      `"public";q=${limits.public};w=60`,
      'Limit that applies: q requests in w seconds.',
    ),
    row(
      'RateLimit',
      `"public";r=${Math.max(0, limits.public - 1)};t=41`,
      'r requests are left; in t seconds all are there again.',
    ),
    row(
      'X-RateLimit-Limit',
      String(limits.public),
      'The same limit, for clients that know these names.',
    ),
    row('X-RateLimit-Remaining', String(Math.max(0, limits.public - 1)), 'Requests left.'),
    row('X-RateLimit-Reset', '1765809060', 'When all are there again, in seconds since 1970.'),
    row('Retry-After', '41', 'On a 429 and a 503: seconds to wait.'),
  ],
)}
</section>`;
}

export function keysSection(baseUrl: string): Html {
  return html`<section id="keys" aria-labelledby="keys-title">
<h2 id="keys-title">API keys</h2>
<p>${prose('A key is free and raises the limit; nothing else changes. Type `/apikey` in chat to get one, which only you will see, or run `fathom keys create` on a server of your own. It is shown once, so keep it. A person may have three; one that leaked can be revoked.')}</p>
<pre class="command"><code>curl -H 'Authorization: Bearer fth_…' ${baseUrl}/stats/global</code></pre>
<p>${prose('`X-API-Key: fth_…` does the same. Never put a key into a URL: URLs end up in logs. A wrong key is refused with `401` rather than treated as none. After five wrong keys within 30 seconds, keys from that address are not looked at until those 30 seconds are over.')}</p>
</section>`;
}

export function httpSection(): Html {
  return html`<section id="http" aria-labelledby="http-title">
<h2 id="http-title">Caching and HTTP</h2>
<ul>
<li>${prose('A `200` carries an `ETag` and may be kept for 30 seconds. Send the tag back in `If-None-Match`: while the data is the same you get a `304` without a body.')}</li>
<li>${prose('`Last-Modified` is the time of the newest data behind an answer. `Age` says how many seconds ago the figures were known to be current, and `Reputation-Status: stale` that newer ones may be missing.')}</li>
<li>${prose('Where an instance serves made-up demo data, every answer carries `Fathom-Data: demo`.')}</li>
<li>${prose('`HEAD` equals `GET` without the body; `OPTIONS` tells the methods. Anything else is a `405`.')}</li>
<li>Any web page may read the API (CORS, without credentials).</li>
<li>${prose('Bodies over 1 KiB are compressed for clients that send `Accept-Encoding` with `br` or `gzip`.')}</li>
<li>${prose('Every answer has an `X-Request-Id`. Give it when you report a problem.')}</li>
<li>Paths are exact: upper case, double and trailing slashes lead nowhere.</li>
<li>Unknown parameters and parameters given twice are errors, so that a typing error never returns the wrong list.</li>
<li>Headers may have 16 KiB in all, path and query 2,048 characters. Headers must arrive within 5 seconds, the request within 10.</li>
</ul>
</section>`;
}

export function errorsSection(document: OpenApiDocument): Html {
  const example = {
    type: '/docs#invalid-parameter',
    title: PROBLEMS['invalid-parameter'].title,
    status: 400,
    detail:
      'The parameter "limit" has a value that it does not accept. Give a whole number from 1, in digits alone; above 500 it is applied as 500.',
    instance: '/v1/leaderboard',
    code: 'invalid-parameter',
    requestId: '4f1c9a2be07d-8k',
    errors: [
      {
        parameter: 'limit',
        message: 'Give a whole number from 1, in digits alone; above 500 it is applied as 500.',
      },
    ],
  };
  const known = new Set<string>(document.components.schemas.Problem.properties.code.enum);
  return html`<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>${prose('Every error is an RFC 9457 problem document, `application/problem+json`. `code` is for programs and stays; `detail` is for people and may change; `errors` lists faults of parameters.')}</p>
<pre tabindex="0"><code>${jsonBlock(example)}</code></pre>
${Object.entries(PROBLEMS)
  .filter(([code]) => known.has(code))
  .map(
    ([code, { status, title, meaning, remedy }]) => html`<article class="error" id="${code}">
<h3><span class="status">${status}</span><code>${code}</code><span class="title">${title}</span></h3>
<p>${prose(meaning)}</p>
<p>${prose(remedy)}</p>
</article>`,
  )}
</section>`;
}

function row(header: string, example: string, meaning: string): Html[] {
  return [html`<code>${header}</code>`, html`<code>${example}</code>`, prose(meaning)];
}
