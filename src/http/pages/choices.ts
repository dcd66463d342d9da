import { type Html, html } from '#base';
import { THEMES, type Theme } from './document.ts';
import { LANGUAGES, type Words } from './words/index.ts';

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
