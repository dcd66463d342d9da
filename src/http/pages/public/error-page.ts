import { findForm } from './find-form.ts';
import type { PublicPage } from './layout.ts';
import { markup, NOTHING, safeText } from './markup.ts';
import { type PageReader, pathFor } from './reader.ts';

/** Why there's no page to show. */
export type ErrorPageCause =
  | 'wallet'
  | 'address'
  | 'name'
  | 'badge'
  | 'holders'
  | 'page'
  | 'path'
  | 'link'
  | 'longLink'
  | 'method'
  | 'headers'
  | 'refused'
  | 'unavailable'
  | 'bug'
  | { readonly tooMany: number };

/**
 * A page that says what's wrong and where to go instead.
 * @param shown what was asked for, or the ID of a request that met a bug
 */
export function errorPage(cause: ErrorPageCause, reader: PageReader, shown?: string): PublicPage {
  const { lost } = reader.words.pages;
  const { title, about } = textsOf(cause, reader);
  const isTemporary = typeof cause !== 'string' || cause === 'unavailable' || cause === 'bug';
  return {
    kind: 'error',
    path: undefined,
    title,
    description: about,
    main: markup`<section class="lost"><h1>${title}</h1>${shown === undefined ? NOTHING : markup`<p><code>${safeText(shown)}</code></p>`}
<p>${about}</p>
<p class="buttons">${isTemporary ? markup`<a class="button primary" href="">${lost.reload}</a>` : NOTHING}<a class="button${isTemporary ? '' : ' primary'}" href="${pathFor(reader, '/leaderboard')}">${lost.next}</a></p></section>
${findForm(reader)}`,
  };
}

function textsOf(cause: ErrorPageCause, { words, texts }: PageReader) {
  const { lost } = words.pages;
  if (typeof cause === 'string') return lost[cause];
  const { title, about } = lost.tooMany;
  return { title, about: about(cause.tooMany, texts.number(cause.tooMany)) };
}
