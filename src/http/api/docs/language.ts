import { acceptedLanguages, esReference, LANGUAGES, type Texts, textsFor } from '#command/texts';

/** The texts of the docs in one language. */
export interface DocsLanguage {
  readonly texts: Texts;
  /** Translates a sentence of the OpenAPI document; leaves it in English if it has no translation. */
  readonly translate: (english: string) => string;
}

/** Sentences by their English, for each language but English. */
const REFERENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = { es: esReference };

const BY_CODE = new Map(LANGUAGES.map((code) => [code, languageOf(code)]));
const ENGLISH = languageOf('en');

/** The languages, each in its own name. */
export const LANGUAGE_NAMES: readonly (readonly [code: string, name: string])[] = LANGUAGES.map(
  (code) => [code, nameOf(code)],
);

/** The language in `?lang=`, otherwise the one the browser prefers, otherwise English. */
export function chooseLanguage(url: string, acceptLanguage: string | undefined): DocsLanguage {
  const query = url.indexOf('?');
  const chosen = query < 0 ? null : new URLSearchParams(url.slice(query)).get('lang');
  const tags = [chosen ?? '', ...acceptedLanguages(acceptLanguage ?? '')];
  for (const tag of tags) {
    const [code = ''] = tag.toLowerCase().split('-');
    const found = BY_CODE.get(code);
    if (found !== undefined) return found;
  }
  return ENGLISH;
}

function languageOf(code: string): DocsLanguage {
  const reference = REFERENCES[code] ?? {};
  const translate = (english: string) =>
    Object.hasOwn(reference, english) ? (reference[english] as string) : english;
  return { texts: textsFor(code), translate };
}

function nameOf(code: string): string {
  const name = new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}
