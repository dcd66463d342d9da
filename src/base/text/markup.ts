/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Part[] | undefined;

export const NOTHING = new Html('');

/**
 * A template whose values are escaped unless they are HTML already. Lists are joined, and undefined
 * is left out.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] as string;
  for (let i = 0; i < parts.length; i++) text += render(parts[i]) + (strings[i + 1] as string);
  return new Html(text);
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string') return encodeEntities(part);
  if (typeof part === 'number') return String(part);
  let text = '';
  for (const each of part) text += render(each);
  return text;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const NEEDS_ESCAPING = /[&<>"']/;

export function encodeEntities(text: string): string {
  // Few texts do, and a page has hundreds.
  if (!NEEDS_ESCAPING.test(text)) return text;
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A sentence in which `backticks` mark code. */
export function inlineCode(text: string): Html {
  return new Html(encodeEntities(text).replace(/`([^`]*)`/g, '<code>$1</code>'));
}

/** What somebody may have put into a name to turn the rest of a line around. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function escaped(mark: string): string {
  return `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A value as indented JSON with its names and values told apart. */
export function jsonBlock(value: unknown): Html {
  const text = JSON.stringify(value, undefined, 2).replace(DIRECTION_MARKS, escaped);
  const marked = encodeEntities(text).replace(
    /(&quot;(?:(?!&quot;).|\\&quot;)*?&quot;)(:?)|\b(true|false|null)\b|(-?\b\d+(?:\.\d+)?\b)/g,
    (all, text: string | undefined, colon: string | undefined) => {
      if (text === undefined) return `<span class="n">${all}</span>`;
      return colon ? `<span class="k">${text}</span>:` : `<span class="s">${text}</span>`;
    },
  );
  return new Html(marked);
}

/** The URL with nothing in it but what RFC 3986 allows; undefined if it's not one of the web. */
export function safeWebUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  // No such host can be looked up.
  if (/[^\w\-.~!$&'()*+,;=%:[\]]/.test(url.host)) return undefined;
  // Browsers accept characters that RFC 3986 doesn't allow; Discord rejects the message.
  const rest = (url.pathname + url.search + url.hash)
    .replace(/%(?![0-9a-f]{2})/gi, '%25')
    .replace(/[^\w\-.~:/?@!$&'()*+,;=%#]|(?<=#.*)#/g, encodeURIComponent);
  return url.origin + rest;
}
