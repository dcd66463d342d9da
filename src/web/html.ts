import { LANGUAGES, type Words } from './words/index.ts';

/** Makes text fit to stand in an element or between double quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * The other languages that a page has.
 * @param path of the page itself
 */
export function languageLinks(words: Words, path: string): string {
  return LANGUAGES.map(({ language, name }) => {
    const current = language === words.language ? ' aria-current="true"' : '';
    return `<a href="${path}?lang=${language}" hreflang="${language}" lang="${language}"${current}>${escapeHtml(name)}</a>`;
  }).join('');
}
