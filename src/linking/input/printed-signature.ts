import { base64Text, hexText } from '#base';
import { parityOf } from '#linking/proving/parity';
import { listsIn } from './key-pair-forms.ts';

/* Signatures as programs print them: bytes one by one, and the parts of an Ethereum signature by their names. */

const PARTS = /\b(r|s|yParityAndS)["']?\s*[:=]\s*["']?(0x[0-9a-f]{1,64}|\d{60,78})n?\b/gi;
const PARITY = /\b(?:v|yParity)["']?\s*[:=]\s*["']?(0x[0-9a-f]{1,12}|\d{1,15})n?\b/i;

/** As each chain reads it: 65 bytes are those of an Ethereum account. */
export function encodedBytes(bytes: Uint8Array): string {
  return bytes.length === 65 ? `0x${hexText(bytes)}` : base64Text(bytes);
}

/** @returns encoded; undefined unless there is one list of as many bytes as a key's signature has */
export function printedBytes(text: string): string | undefined {
  const [bytes, ...others] = [...listsIn(text), ...listsIn(text, 65)];
  return bytes === undefined || others.length > 0 ? undefined : encodedBytes(bytes);
}

/** `r: 0x…, s: 0x…, v: 28`, as libraries show a signature. @returns in hex */
export function printedParts(text: string): string | undefined {
  const parts = [...text.matchAll(PARTS)].map(([, name, value]) => [name, value]);
  return ofParts({ ...Object.fromEntries(parts), v: PARITY.exec(text)?.[1] });
}

/**
 * Of an Ethereum account: two words in hex or, as programs in Python print them, in decimal, and the parity, which may
 * be within the second word.
 * @returns in hex
 */
export function ofParts(fields: Readonly<Record<string, unknown>>): string | undefined {
  const { r, s, v, yParity, yParityAndS } = fields;
  const words = [r, yParityAndS ?? s].map(wordOf);
  if (words.some((each) => each === undefined)) return undefined;
  if (yParityAndS !== undefined) return `0x${words.join('')}`;
  const parity = parityOf(Number(v ?? yParity));
  return parity === undefined ? undefined : `0x${words.join('')}${(27 + parity).toString(16)}`;
}

function wordOf(value: unknown): string | undefined {
  const given = String(value);
  if (!/^(?:0x[0-9a-f]{1,64}|\d{60,78})$/i.test(given)) return undefined;
  const digits = BigInt(given).toString(16).padStart(64, '0');
  return digits.length === 64 ? digits : undefined;
}
