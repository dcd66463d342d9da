/** All texts of the chats, in every language. */

import { BusyError, PlatformFault, type RetryableError } from '#base';
import { en, type Texts } from './en/index.ts';
import { es } from './es/index.ts';
import { formatsOf } from './phrasing.ts';

export type { Texts } from './en/index.ts';
export { enLinkFaults, enLinks, enProofs, type RoleTexts } from './en/links.ts';
export { esLinkFaults, esLinks, esProofs } from './es/links.ts';
export { sentenceFor } from './phrasing.ts';

/** To add a language, add its files and a line here. */
const CATALOGUES: Readonly<Record<string, Texts>> = { en, es };

/** Two-letter codes of all languages; the first is the fallback. */
export const LANGUAGES: readonly string[] = Object.keys(CATALOGUES);

const TAG = /^([a-z]{2,3})(?:[-_][a-z]{4})?(?:[-_]([a-z]{2}|\d{3}))?(?:[-_]|$)/i;

/** Cached regional catalogues; the map is cleared at this size. */
const REMEMBERED = 64;
const regional = new Map<string, Texts>();

/**
 * The texts for a reader.
 * @param locale BCP 47 tag. Its language picks the words and its region the form of numbers
 *   (`es`: 1.234, `es-MX`: 1,234). English if it's missing or the language isn't supported.
 */
export function textsFor(locale: string | undefined): Texts {
  const [, language = '', region] = TAG.exec(locale ?? '') ?? [];
  const code = language.toLowerCase();
  const texts = LANGUAGES.includes(code) ? (CATALOGUES[code] as Texts) : en;
  if (region === undefined || texts.language !== code) return texts;
  const tag = `${code}-${region.toUpperCase()}`;
  let found = regional.get(tag);
  if (found === undefined) {
    found = { ...texts, ...formatsOf(tag) };
    if (regional.size >= REMEMBERED) regional.clear();
    regional.set(tag, found);
  }
  return found;
}

/** An option's name in a language; falls back to its own name. */
export function optionName(texts: Texts, name: string): string {
  const names: Readonly<Record<string, string>> = texts.optionNames;
  return Object.hasOwn(names, name) ? (names[name] as string) : name;
}

/** The tags of an `Accept-Language` header (RFC 9110, 12.5.4), most wanted first. */
export function acceptedLanguages(header: string): string[] {
  return header
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';');
      const quality = /q=([\d.]+)/.exec(parameters.join(';'))?.[1];
      return { tag: tag.trim(), quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}

/**
 * What to say of an error that may pass: what is away, and when to try again.
 * @param platform the name of the one where they ask
 */
export function outageText(
  error: RetryableError,
  platform: string | undefined,
  { errors }: Texts,
): string {
  const { retryAfter } = error;
  if (error instanceof BusyError) return errors.busy(retryAfter);
  const isPlatforms = platform !== undefined && error instanceof PlatformFault;
  if (!isPlatforms) return errors.unavailable(retryAfter);
  return error.code === undefined
    ? errors.platformSilent(platform, retryAfter)
    : errors.platformRefused(platform, error.code, retryAfter);
}
