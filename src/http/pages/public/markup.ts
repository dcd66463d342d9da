import { isolateRightToLeft, sanitizeText } from '#base';
import { escapeHtml } from '#http/pages/html';

/** HTML with escaped texts. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | readonly Markup[] | undefined;

export const NOTHING = new Markup('');

/** A template that escapes all values except markup. Undefined is left out. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = strings[0] as string;
  for (let i = 0; i < parts.length; i++) text += textOf(parts[i]) + (strings[i + 1] as string);
  return new Markup(text);
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return NEEDS_ESCAPING.test(part) ? escapeHtml(part) : part;
  let text = '';
  for (const each of part) text += each.text;
  return text;
}

const NEEDS_ESCAPING = /[&<>"]/;

/** Text that sanitizing wouldn't change: nearly all of it. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/**
 * Sanitizes text from outside.
 * @param longest in graphemes
 */
export function safeText(text: string, longest = 200): string {
  if (text.length <= longest && PLAIN.test(text)) return text;
  return isolateRightToLeft(sanitizeText(text, longest));
}
