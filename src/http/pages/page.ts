import type { Theme } from './document.ts';
import { escapeHtml, languageLinks } from './html.ts';
import { TYPED_MAX } from './request.ts';
import { radio, themeChoice } from './theme-choice.ts';
import type { Words } from './words/index.ts';

/** Path of the page's assets. */
export const ASSETS_PATH = '/playground';

/** A chat to preview. */
interface Chat {
  readonly id: string;
  readonly label: string;
}

/**
 * The page in one language and theme. Both are rendered on the server, so nothing changes once the
 * scripts run.
 */
export function renderPage(
  words: Words,
  theme: Theme,
  isDemo: boolean,
  chats: readonly Chat[],
): string {
  const { page } = words;
  return `<!doctype html>
<html lang="${words.language}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(page.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(page.headline)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${ASSETS_PATH}/icon.svg">
${['base', 'frame', 'page', 'ask', 'chats', 'discord'].map(stylesheet).join('\n')}
<script type="module" src="${ASSETS_PATH}/app.js"></script>
</head>
<body data-words="${escapeHtml(JSON.stringify(words.browser))}">
<a class="skip" href="#q">${escapeHtml(page.skip)}</a>
<header class="bar">
<a class="brand" href="/"><img src="${ASSETS_PATH}/icon.svg" alt="" width="32" height="32">Fathom</a>
<nav class="links"><a href="/leaderboard">${escapeHtml(words.pages.leaderboard.title)}</a><a href="/stats">${escapeHtml(words.pages.stats.title)}</a><a href="/docs?lang=${words.language}">${escapeHtml(page.docs)}</a><a href="/openapi.json">${escapeHtml(page.openApi)}</a></nav>
<nav class="links" id="languages" aria-label="${escapeHtml(page.languages)}">${languageLinks(words, '/')}</nav>
${themeChoice(words, theme)}
</header>
<main>
<h1>${escapeHtml(page.headline)}</h1>
<p class="lead">${escapeHtml(page.lead)}</p>
${isDemo ? `<p class="notice demo">${escapeHtml(page.demo)}</p>\n` : ''}<noscript><p class="notice">${escapeHtml(page.noScript)} <a href="/leaderboard">${escapeHtml(words.pages.leaderboard.title)}</a> · <a href="/docs?lang=${words.language}">/docs</a>.</p></noscript>
<form id="ask" action="/" method="get" role="search">
<label for="q">${escapeHtml(page.command)}</label>
<div class="line">
<input id="q" name="q" type="text" maxlength="${TYPED_MAX}" placeholder="/rep 0x…" role="combobox" aria-autocomplete="list" aria-expanded="false" aria-controls="suggestions" aria-describedby="hint" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false" enterkeyhint="send">
<button type="submit">${escapeHtml(page.ask)}</button>
<ul id="suggestions" role="listbox" aria-label="${escapeHtml(page.suggestions)}" hidden></ul>
</div>
<p id="hint" class="hint">${escapeHtml(page.hint)}</p>
</form>
<div class="examples needs-script">
<h2 id="examples-title">${escapeHtml(page.examples)}</h2>
<ul id="examples" aria-labelledby="examples-title"></ul>
</div>
<fieldset class="choice needs-script" id="views">
<legend>${escapeHtml(page.views)}</legend>
${chats.map(({ id, label }, i) => radio('view', id, label, i === 0)).join('')}
</fieldset>
<div class="panels needs-script" id="panels">
${chats.map(panel).join('\n')}
</div>
<p id="status" class="unseen" role="status" aria-live="polite"></p>
</main>
</body>
</html>
`;
}

function stylesheet(name: string): string {
  return `<link rel="stylesheet" href="${ASSETS_PATH}/${name}.css">`;
}

/** Narrow screens only show the selected panel. */
function panel({ id, label }: Chat, i: number): string {
  const inView = i === 0 ? ' data-in-view' : '';
  return `<section class="panel" aria-labelledby="${id}-name"${inView}><h2 id="${id}-name">${label}</h2><div class="chat ${id}" id="${id}" tabindex="-1"></div></section>`;
}
