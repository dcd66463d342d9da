import { en } from './en.ts';
import { es } from './es.ts';
import type { Words } from './words.ts';

export type { Words } from './words.ts';

/** Languages of the pages; the first is the fallback. */
export const LANGUAGES: readonly Words[] = [en, es];

/** The texts for a language tag such as `es-MX`; undefined if unsupported. */
export function wordsOf(tag: string): Words | undefined {
  const [language = ''] = tag.trim().toLowerCase().split('-');
  return LANGUAGES.find((words) => words.language === language);
}

/**
 * The texts for a reader.
 * @param wishes language tags, most preferred first
 */
export function wordsFor(wishes: readonly string[]): Words {
  for (const wish of wishes) {
    const words = wordsOf(wish);
    if (words !== undefined) return words;
  }
  return en;
}
