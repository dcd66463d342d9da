/**
 * Creates an element. Strings become text nodes, never markup, so untrusted text is safe.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes] `on…` adds a listener; undefined and false are left out
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

/** A link to a web page; any other URL, such as `javascript:`, becomes plain text. */
export function link(url, attributes, ...children) {
  const { protocol } = URL.parse(url) ?? {};
  if (protocol !== 'https:' && protocol !== 'http:') return make('span', attributes, ...children);
  const outward = { href: url, target: '_blank', rel: 'noopener noreferrer' };
  return make('a', { ...attributes, ...outward }, ...children);
}

/** A link to save a file that comes with an answer. */
export function fileLink({ name, text }, attributes) {
  const href = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`;
  return make('a', { ...attributes, href, download: name }, name);
}

/** A rank card. Only our own paths; the page's policy blocks others. */
export function picture(src, alt = '', name = '') {
  return make('img', { class: name, src, alt, width: 1200, height: 630 });
}

/** Inserts a value in place of `{}`. */
export function fill(sentence, value) {
  return sentence.replace('{}', () => value);
}
