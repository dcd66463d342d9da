import { createHash } from 'node:crypto';

/** What is short and plain stands in a key as it is, so that an operator can read it. */
const PLAIN = /^[\w.:/-]{0,64}$/;

/** Part of a key for any text, however long and odd: no two texts have the same one. */
export function keyPart(text: string): string {
  if (PLAIN.test(text)) return text;
  // Not UTF-8, in which all halves of surrogate pairs are the same.
  return `#${createHash('sha256').update(text, 'utf16le').digest('base64url')}`;
}
