import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderPage, THEMES, type Theme } from './page.ts';
import { type StaticFile, sendStatic, staticFile } from './static.ts';
import { acceptedLanguages, type Words, wordsFor, wordsOf } from './words/index.ts';

/** Names of the two cookies, which hold nothing but what the reader chose. */
const LANGUAGE_COOKIE = 'fathom_language';
const THEME_COOKIE = 'fathom_theme';

const YEAR = 31_536_000;

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'private, no-cache',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept-Encoding, Accept-Language, Cookie',
};

/** @returns the handler of `/` */
export function createHome(): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
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
      page = staticFile(Buffer.from(renderPage(words, theme)), HEADERS);
      pages.set(key, page);
    }
    return sendStatic(request, reply, page);
  };
}

function readerWords(request: FastifyRequest): Words {
  const wishes = acceptedLanguages(request.headers['accept-language'] ?? '');
  return wordsFor([cookieOf(request, LANGUAGE_COOKIE), ...wishes]);
}

function readerTheme(request: FastifyRequest): Theme {
  const chosen = cookieOf(request, THEME_COOKIE);
  return THEMES.find((theme) => theme === chosen) ?? 'system';
}

function cookieOf(request: FastifyRequest, name: string): string {
  const cookies = request.headers.cookie?.split(';') ?? [];
  const pair = cookies.map((each) => each.trim()).find((each) => each.startsWith(`${name}=`));
  return pair?.slice(name.length + 1) ?? '';
}
