import { en } from './en.ts';
import { es } from './es.ts';
import type { Words } from './words.ts';

export type { Words } from './words.ts';

/** The languages of the pages; the first one is what everybody else gets. */
export const LANGUAGES: readonly Words[] = [en, es];

/** The words of a language tag such as `es-MX`, or undefined when there are none. */
export function wordsOf(tag: string): Words | undefined {
  const [language = ''] = tag.trim().toLowerCase().split('-');
  return LANGUAGES.find((words) => words.language === language);
}

/**
 * The words for a reader.
 * @param wishes tags, the strongest wish first
 */
export function wordsFor(wishes: readonly string[]): Words {
  for (const wish of wishes) {
    const words = wordsOf(wish);
    if (words !== undefined) return words;
  }
  return en;
}
