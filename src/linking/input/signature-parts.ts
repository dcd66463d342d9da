import { parityOf } from '#linking/proving/parity';

const PARTS =
  /\b(r|s|yParityAndS)["']?\s*[:=]\s*["']?(0x[0-9a-f]{60,64}|\d{74,78}|(?=\d*[a-f])[0-9a-f]{64})n?\b/gi;
const WHOLE_PART = /(?:0x[0-9a-f]{64}|(?=\d*[a-f])[0-9a-f]{64}|\d{77,78})n?$/i;
const PARITY = /\b(?:v|yParity)["']?\s*[:=]\s*["']?(0x[0-9a-f]{1,12}|\d{1,15}|1[bc])n?\b/i;

/** Two words of 32 bytes and nothing else. */
const HALVES = /^\W*(?:0x)?[0-9a-f]{64}\W+(?:0x)?[0-9a-f]{64}\W*$/i;

/** Whether what was read as the halves of a signature may as well be private keys, or hashes. */
export function mayBeKeys(text: string): boolean {
  return HALVES.test(text);
}

/** `r: 0x…, s: 0x…, v: 28`, as libraries show a signature. @returns in hex */
export function printedParts(text: string): string | undefined {
  const found = [...text.matchAll(PARTS)];
  // Zeros in front may be left out, but a short one that ends the text was rather cut.
  const [last = ''] = found.at(-1) ?? [];
  if (text.trimEnd().endsWith(last) && !WHOLE_PART.test(last)) return undefined;
  const parts = found.map(([, name = '', value]) => [
    name.length === 1 ? name.toLowerCase() : name,
    value,
  ]);
  return ofParts({ ...Object.fromEntries(parts), v: PARITY.exec(text)?.[1] });
}

/**
 * Of an Ethereum account: two words in hex, by Ledger's library without 0x, or in decimal, as programs in Python print
 * them; and the parity, which may be within the second word. Signatures of other chains have two words alone, in hex.
 * @returns in hex
 */
export function ofParts(fields: Readonly<Record<string, unknown>>): string | undefined {
  const { r, s, v, yParity, yParityAndS } = fields;
  const words = [r, yParityAndS ?? s].map(wordOf);
  if (words.some((each) => each === undefined)) return undefined;
  const areWhole = [r, s].every((word) => /^(?:0x)?[0-9a-f]{64}$/i.test(String(word)));
  const isWithout = v === undefined && yParity === undefined && areWhole;
  if (yParityAndS !== undefined || isWithout) return `0x${words.join('')}`;
  const given = String(v ?? yParity);
  // A byte in hex, whose letter says so.
  const parity = parityOf(Number(/^1[bc]$/i.test(given) ? `0x${given}` : given));
  return parity === undefined ? undefined : `0x${words.join('')}${(27 + parity).toString(16)}`;
}

function wordOf(value: unknown): string | undefined {
  const given = String(value);
  if (!/^(?:0x[0-9a-f]{1,64}|\d{60,78}|[0-9a-f]{64})$/i.test(given)) return undefined;
  const number = /^(?:0x|\d+$)/i.test(given) ? given : `0x${given}`;
  const digits = BigInt(number).toString(16).padStart(64, '0');
  return digits.length === 64 ? digits : undefined;
}
