import type { IncomingHttpHeaders } from 'node:http';
import { html, NOTHING, safeText } from '#base';
import { prefersHtml } from '#http/negotiation';
import { findForm } from './boards/find-wallet.ts';
import { PAGE_HEADERS, type PublicPage, renderDocument, type Site } from './layout.ts';
import { type PageReader, pathFor, readerOf } from './reader.ts';

/** Why there's no page to show. */
export type ErrorPageCause =
  | 'wallet'
  | 'address'
  | 'name'
  | 'badge'
  | 'holders'
  | 'page'
  | 'board'
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
    main: html`<section class="lost"><h1>${title}</h1>${shown === undefined ? NOTHING : html`<p><code>${safeText(shown)}</code></p>`}
<p>${about}</p>
<p class="buttons">${isTemporary ? html`<a class="button primary" href="">${lost.reload}</a>` : NOTHING}<a class="button${isTemporary ? '' : ' primary'}" href="${pathFor(reader, '/leaderboard')}">${lost.next}</a></p></section>
${findForm(reader)}`,
  };
}

function textsOf(cause: ErrorPageCause, { words, texts }: PageReader) {
  const { lost } = words.pages;
  if (typeof cause === 'string') return lost[cause];
  const { title, about } = lost.tooMany;
  return { title, about: about(cause.tooMany, texts.number(cause.tooMany)) };
}

/** A request that failed. */
interface FailedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Path and query. */
  readonly url: string;
}

/** Why it failed. */
interface Failure {
  /** The code of the problem that programs get. */
  readonly code: string;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  readonly requestId: string;
}

/** An error as a page. */
interface ErrorAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

const CAUSES: Readonly<Record<string, ErrorPageCause>> = {
  'invalid-address': 'address',
  'wallet-not-found': 'wallet',
  'route-not-found': 'path',
  'method-not-allowed': 'method',
  'bad-request': 'link',
  'invalid-parameter': 'link',
  'unknown-parameter': 'link',
  'duplicate-parameter': 'link',
  'uri-too-long': 'longLink',
  'headers-too-large': 'headers',
  'data-unavailable': 'unavailable',
  internal: 'bug',
};

/** Causes whose page repeats what was asked for. */
const SHOWS_PATH: readonly ErrorPageCause[] = ['address', 'path', 'link'];
const PATH_MAX = 200;
/** How long a limit lasts that doesn't say so. */
const WAIT_SECONDS = 60;

/** An error page has no address of its own, and shows no data. */
const NO_SITE: Site = { origin: () => '', isDemo: false };

/** @returns an error as a page, if the request is a browser's that opens one */
export function errorAnswer(
  { headers, url }: FailedRequest,
  { code, retryAfter = WAIT_SECONDS, requestId }: Failure,
): ErrorAnswer | undefined {
  if (!prefersHtml(headers.accept)) return undefined;
  const [path = '', query] = url.split(/[?#]/, 2);
  const lang = new URLSearchParams(query).get('lang');
  const reader = readerOf({ headers, query: { lang } });
  const cause: ErrorPageCause =
    code === 'rate-limited' ? { tooMany: retryAfter } : (CAUSES[code] ?? 'refused');
  // Without the query, which may contain a secret.
  const asked = SHOWS_PATH.includes(cause) ? path.slice(0, PATH_MAX) : undefined;
  const page = errorPage(cause, reader, cause === 'bug' ? requestId : asked);
  return { headers: PAGE_HEADERS, html: renderDocument(page, reader, NO_SITE) };
}
