import { LANGUAGES, type Words } from './words/index.ts';

/** Escapes text for an element or a double-quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * Links to a page's other languages.
 * @param path of the page
 */
export function languageLinks(words: Words, path: string): string {
  return LANGUAGES.map(({ language, name }) => {
    const current = language === words.language ? ' aria-current="true"' : '';
    return `<a href="${path}?lang=${language}" hreflang="${language}" lang="${language}"${current}>${escapeHtml(name)}</a>`;
  }).join('');
}
