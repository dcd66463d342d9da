import { type Markup, markup } from '#http/pages/public/markup';
import type { PagePart } from '#http/pages/public/page-part';
import type { PageReader } from '#http/pages/public/reader';

/** A part of a page with a heading. */
export function section(id: string, title: string, body: Markup, more?: Markup): Markup {
  return markup`<section class="panel ${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}${more}</h2>
${body}</section>`;
}

/** The part, or why it's missing. */
export function partSection<T>(
  of: PagePart<T>,
  reader: PageReader,
  show: (value: T) => Markup,
): Markup {
  if (typeof of !== 'string') return show(of.value);
  return markup`<p class="quiet">${reader.words.pages[of]}</p>`;
}
