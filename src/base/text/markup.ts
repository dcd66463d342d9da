/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Part[];

/** A template whose values are escaped unless they are HTML already; lists are joined. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, i) => text + render(parts[i] ?? '')).join(''));
}

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'string') return encodeEntities(part);
  if (typeof part === 'number') return String(part);
  return part.map(render).join('');
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function encodeEntities(text: string): string {
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
