import { createHash } from 'node:crypto';

/** Short plain text stays readable in keys, for operators. */
const PLAIN = /^[\w.:/-]{0,64}$/;

/** Encodes any text as a key part, uniquely. */
export function keyPart(text: string): string {
  if (PLAIN.test(text)) return text;
  // Not UTF-8, which maps all lone surrogates to the same bytes.
  return `#${createHash('sha256').update(text, 'utf16le').digest('base64url')}`;
}
