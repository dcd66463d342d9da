import type { RoleTexts } from '#command/texts';
import { escapeHtml } from '#http/pages/html';
import { LINKED_ROLES_PATH } from '#platforms/role-connections';

export interface PageContent {
  readonly language: string;
  readonly texts: RoleTexts['rolePages'];
  readonly title: string;
  /** What happened, and what to do. */
  readonly about: string;
  /** Where to start again; undefined if nothing is left to do. */
  readonly againUrl: string | undefined;
}

/** Renders the outcome as a page without scripts. */
export function renderRolePage(content: PageContent): string {
  const { language, texts, title, about, againUrl } = content;
  const next =
    againUrl === undefined
      ? escapeHtml(texts.close)
      : `<a href="${escapeHtml(againUrl)}">${escapeHtml(texts.again)}</a>`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(texts.title)}</title>
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
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
<p>${next}</p>
</main>
</body>
</html>
`;
}
