import { LINKED_ROLES_PATH } from '#core/linked-roles/page-service';
import { escapeHtml } from '#web/html';
import type { PageText, RoleWords } from './words.ts';

export interface PageContent {
  readonly language: string;
  readonly words: RoleWords;
  readonly text: PageText;
  /** Put into the text in place of `{}`. */
  readonly value?: number;
  /** Where to begin again; undefined where there is nothing left to do. */
  readonly againUrl: string | undefined;
}

/** How it went, as a page without scripts. */
export function renderRolePage(content: PageContent): string {
  const { language, words, text, value = 0, againUrl } = content;
  const about = text.about.replace('{}', String(value));
  const next =
    againUrl === undefined
      ? escapeHtml(words.close)
      : `<a href="${escapeHtml(againUrl)}">${escapeHtml(words.again)}</a>`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(words.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${LINKED_ROLES_PATH}/icon.svg">
<link rel="stylesheet" href="${LINKED_ROLES_PATH}/base.css">
<link rel="stylesheet" href="${LINKED_ROLES_PATH}/page.css">
</head>
<body>
<header class="bar">
<span class="brand"><img src="${LINKED_ROLES_PATH}/icon.svg" alt="" width="32" height="32">Fathom</span>
</header>
<main>
<h1>${escapeHtml(text.title)}</h1>
<p>${escapeHtml(about)}</p>
<p>${next}</p>
</main>
</body>
</html>
`;
}
