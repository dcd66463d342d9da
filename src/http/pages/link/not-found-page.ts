import type { FastifyInstance } from 'fastify';
import { createDocument } from '#http/pages/document';
import { escapeHtml, languageLinks } from '#http/pages/html';
import type { Words } from '#http/pages/words/index';
import { LINK_PATH } from './session.ts';

/** A page for mistyped or truncated URLs below the page's own. */
export function addNotFoundPage(scope: FastifyInstance): void {
  const page = createDocument({ render: renderNotFoundPage, formAction: "'none'" });
  scope.route<{ Params: { '*': string } }>({
    method: ['GET', 'HEAD'],
    url: `${LINK_PATH}/*`,
    handler(request, reply) {
      // A browser keeps the fragment across the redirect.
      if (request.params['*'] === '') return reply.redirect(LINK_PATH, 302);
      return page(request, reply.code(404).header('X-Robots-Tag', 'noindex'));
    },
  });
}

function renderNotFoundPage(words: Words): string {
  const { lost } = words.link;
  return `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(lost.title)} · Fathom</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${LINK_PATH}/icon.svg">
<link rel="stylesheet" href="${LINK_PATH}/base.css">
<link rel="stylesheet" href="${LINK_PATH}/link.css">
</head>
<body data-step="start">
<header class="bar">
<a class="brand" href="/"><img src="${LINK_PATH}/icon.svg" alt="" width="32" height="32">Fathom</a>
<nav class="links" aria-label="${escapeHtml(words.page.languages)}">${languageLinks(words, '')}</nav>
</header>
<main>
<h1>${escapeHtml(lost.title)}</h1>
<p>${escapeHtml(lost.about)}</p>
</main>
</body>
</html>
`;
}
