import type { FastifyRequest } from 'fastify';
import { type Texts, textsFor } from '#command/texts';
import { readerTheme, readerWords, type Theme } from '#http/pages/document';
import { type Words, wordsOf } from '#http/pages/words/index';

/** What a page depends on of its reader. */
export interface PageReader {
  readonly words: Words;
  readonly texts: Texts;
  readonly theme: Theme;
  /** Whether the URL names the language; links then pass it on. */
  readonly isChosen: boolean;
}

/**
 * The reader of a request. Unlike in the playground, `?lang=` sets no cookie: it comes with a shared link and
 * only counts for that page, whose response may be cached.
 */
export function readerOf(request: Pick<FastifyRequest, 'headers' | 'query'>): PageReader {
  const { lang } = request.query as { lang?: unknown };
  const chosen = typeof lang === 'string' ? wordsOf(lang) : undefined;
  const words = chosen ?? readerWords(request);
  return {
    words,
    texts: textsFor(words.language),
    theme: readerTheme(request),
    isChosen: chosen !== undefined,
  };
}

/** Distinguishes readers whose pages differ. */
export function readerKey({ words, theme, isChosen }: PageReader): string {
  return `${words.language}${isChosen ? '!' : ''} ${theme}`;
}

/** A link to one of our pages, in the reader's language. @param path including its query */
export function pathFor({ isChosen, words }: PageReader, path: string): string {
  return isChosen ? withLanguage(path, words.language) : path;
}

export function withLanguage(path: string, language: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}lang=${language}`;
}
