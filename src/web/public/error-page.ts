import { findForm } from './find-form.ts';
import type { PublicPage } from './layout.ts';
import { markup, safeText } from './markup.ts';
import { type PageReader, pathFor } from './reader.ts';

/** Why there's no page to show. */
export type ErrorPageCause =
  | 'wallet'
  | 'address'
  | 'name'
  | 'badge'
  | 'holders'
  | 'page'
  | 'unavailable'
  | 'bug'
  | { readonly tooMany: number };

/** A page that says what's wrong and where to go instead. */
export function errorPage(cause: ErrorPageCause, reader: PageReader, shown?: string): PublicPage {
  const { lost } = reader.words.pages;
  const { title, about } =
    typeof cause === 'string'
      ? lost[cause]
      : { ...lost.tooMany, about: lost.tooMany.about(reader.texts.number(cause.tooMany)) };
  return {
    kind: 'error',
    path: undefined,
    title,
    description: about,
    main: markup`<section class="lost"><h1>${title}</h1>${shown === undefined ? undefined : markup`<p><code>${safeText(shown)}</code></p>`}
<p>${about}</p>
<p class="buttons"><a class="button primary" href="${pathFor(reader, '/leaderboard')}">${lost.next}</a></p></section>
${findForm(reader)}`,
  };
}
