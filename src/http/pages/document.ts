import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Html, html } from '#base';
import { acceptedLanguages } from '#command/texts';
import { type StaticFile, sendStatic, staticFile } from './static.ts';
import { LANGUAGES, type Words, wordsFor, wordsOf } from './words/index.ts';

/** Colour themes; `system` follows the device. */
const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Names of the two cookies, which only store the reader's choices. */
const LANGUAGE_COOKIE = 'fathom_language';
const THEME_COOKIE = 'fathom_theme';

const YEAR = 31_536_000;

/** Headers of every page. */
export const DOCUMENT_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept-Encoding, Accept-Language, Cookie',
};

/** Origins by purpose. */
interface Origins {
  readonly images?: readonly string[];
  readonly connections?: readonly string[];
}

interface DocumentOptions {
  readonly render: (words: Words, theme: Theme) => string;
  /** Where forms may be submitted. */
  readonly formAction: "'self'" | "'none'";
  /** Other origins the page may request. */
  readonly origins?: Origins;
  /** In addition to the common headers, or overriding them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns a page's handler, which responds in the reader's language and theme */
export function createDocument({
  render,
  formAction,
  origins = {},
  headers,
}: DocumentOptions): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const policy = contentPolicy(formAction, origins);
  const sent = {
    ...DOCUMENT_HEADERS,
    'Cache-Control': 'private, no-cache',
    'Content-Security-Policy': policy,
    ...headers,
  };
  const pages = new Map<string, StaticFile>();
  return (request, reply) => {
    const { lang } = request.query as { lang?: unknown };
    const chosen = typeof lang === 'string' ? wordsOf(lang) : undefined;
    if (chosen !== undefined) {
      const cookie = `${LANGUAGE_COOKIE}=${chosen.language}; Path=/; Max-Age=${YEAR}; SameSite=Lax`;
      reply.header('Set-Cookie', cookie);
    }
    const words = chosen ?? readerWords(request);
    const theme = readerTheme(request);
    const key = `${words.language} ${theme}`;
    let page = pages.get(key);
    if (page === undefined) {
      page = staticFile(Buffer.from(render(words, theme)), sent);
      pages.set(key, page);
    }
    return sendStatic(request, reply, page);
  };
}

/** Allows only this origin and the listed ones. */
export function contentPolicy(
  formAction: DocumentOptions['formAction'],
  { images = [], connections = [] }: Origins = {},
): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["connect-src 'self'", ...connections].join(' '),
    ["img-src 'self' data:", ...images].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action ${formAction}`,
  ].join('; ');
}

/** The reader's texts, by their choice or their browser's languages. */
export function readerWords(request: Pick<FastifyRequest, 'headers'>): Words {
  const wishes = acceptedLanguages(request.headers['accept-language'] ?? '');
  return wordsFor([cookieOf(request, LANGUAGE_COOKIE), ...wishes]);
}

export function readerTheme(request: Pick<FastifyRequest, 'headers'>): Theme {
  const chosen = cookieOf(request, THEME_COOKIE);
  return THEMES.find((theme) => theme === chosen) ?? 'system';
}

/** The value of a request's cookie; empty if there is none. */
export function cookieOf({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string {
  const cookies = headers.cookie?.split(';') ?? [];
  const pair = cookies.map((each) => each.trim()).find((each) => each.startsWith(`${name}=`));
  return pair?.slice(name.length + 1) ?? '';
}

/**
 * Links to a page's other languages.
 * @param urlOf the page in a language
 */
export function languageLinks(words: Words, urlOf: (language: string) => string): Html {
  const links = LANGUAGES.map(({ language, name }) => {
    const current = language === words.language ? html` aria-current="true"` : undefined;
    return html`<a href="${urlOf(language)}" hreflang="${language}" lang="${language}"${current}>${name}</a>`;
  });
  return html`${links}`;
}

/** Radio buttons for the page's colours; they need a script. */
export function themeChoice({ page }: Words, theme: Theme): Html {
  const choices = THEMES.map((each) => radio('theme', each, page.themes[each], each === theme));
  return html`<fieldset class="choice needs-script" id="theme"><legend class="unseen">${page.theme}</legend>${choices}</fieldset>`;
}

export function radio(group: string, value: string, label: string, checked: boolean): Html {
  return html`<label><input type="radio" name="${group}" value="${value}"${checked ? ' checked' : ''}><span>${label}</span></label>`;
}
