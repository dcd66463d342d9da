/**
 * Makes an element. Children that are strings become text, never markup, so what strangers wrote
 * stays what it is.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes] `on…` is a listener; undefined and false are left out
 * @param {...(Node | string | undefined | false)} children
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/** A link to a page on the web; anything else, such as `javascript:`, is shown as mere text. */
export function link(url, attributes, ...children) {
  const { protocol } = URL.parse(url) ?? {};
  if (protocol !== 'https:' && protocol !== 'http:') return make('span', attributes, ...children);
  const outward = { href: url, target: '_blank', rel: 'noopener noreferrer' };
  return make('a', { ...attributes, ...outward }, ...children);
}

/** A file that comes with an answer, to be saved. */
export function fileLink({ name, text }, attributes) {
  const href = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`;
  return make('a', { ...attributes, href, download: name }, name);
}

/** A rank card; other addresses would not load. */
export function picture(src, alt = '', name = '') {
  return make('img', { class: name, src, alt, width: 1200, height: 630 });
}

/** Puts a value where a sentence has `{}`. */
export function fill(sentence, value) {
  return sentence.replace('{}', () => value);
}
