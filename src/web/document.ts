import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedLanguages } from '#core/texts/accepted-languages';
import { cookieOf } from './cookie.ts';
import { type StaticFile, sendStatic, staticFile } from './static.ts';
import { type Words, wordsFor, wordsOf } from './words/index.ts';

/** Colours that a reader may choose; `system` follows the device. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Names of the two cookies, which hold nothing but what the reader chose. */
const LANGUAGE_COOKIE = 'fathom_language';
const THEME_COOKIE = 'fathom_theme';

const YEAR = 31_536_000;

/** What every page sends. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'private, no-cache',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept-Encoding, Accept-Language, Cookie',
};

/** Origins by what they are asked for. */
interface Origins {
  readonly images?: readonly string[];
  readonly connections?: readonly string[];
}

interface DocumentOptions {
  readonly render: (words: Words, theme: Theme) => string;
  /** Where forms may send to. */
  readonly formAction: "'self'" | "'none'";
  /** Origins that the page may ask beside this service. */
  readonly origins?: Origins;
  /** Beside those that every page sends, or in place of them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns the handler of a page, which answers in the reader's language and colours */
export function createDocument({
  render,
  formAction,
  origins = {},
  headers,
}: DocumentOptions): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const policy = contentPolicy(formAction, origins);
  const sent = { ...HEADERS, 'Content-Security-Policy': policy, ...headers };
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

/** Nobody but ourselves may be asked for anything that isn't named here. */
function contentPolicy(
  formAction: DocumentOptions['formAction'],
  { images = [], connections = [] }: Origins,
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

/** The words for who asks, by what they chose and what their browser wishes for. */
export function readerWords(request: FastifyRequest): Words {
  const wishes = acceptedLanguages(request.headers['accept-language'] ?? '');
  return wordsFor([cookieOf(request, LANGUAGE_COOKIE), ...wishes]);
}

function readerTheme(request: FastifyRequest): Theme {
  const chosen = cookieOf(request, THEME_COOKIE);
  return THEMES.find((theme) => theme === chosen) ?? 'system';
}
