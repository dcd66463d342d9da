import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Html, html } from '#base';
import { type DocsLanguage, LANGUAGE_NAMES } from './language.ts';
import { STYLE } from './style.ts';

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
export function docsPage(parts: PageParts, language: DocsLanguage) {
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
export function docsLanguages(path: string, { texts }: DocsLanguage): Html {
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
