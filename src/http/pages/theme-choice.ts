import { THEMES, type Theme } from './document.ts';
import { escapeHtml } from './html.ts';
import type { Words } from './words/index.ts';

/** Radio buttons for the page's colours; they need a script. */
export function themeChoice({ page }: Words, theme: Theme): string {
  const choices = THEMES.map((each) => radio('theme', each, page.themes[each], each === theme));
  return `<fieldset class="choice needs-script" id="theme"><legend class="unseen">${escapeHtml(page.theme)}</legend>${choices.join('')}</fieldset>`;
}

export function radio(group: string, value: string, label: string, checked: boolean): string {
  return `<label><input type="radio" name="${group}" value="${value}"${checked ? ' checked' : ''}><span>${escapeHtml(label)}</span></label>`;
}
