import { base64Text } from '#base';

/** Property names, in small letters and without separators, in which tools export a signature. */
const NAMES = ['signature', 'sig', 'firma', 'signedtransaction', 'stxn', 'blob', 'signatures'];
/** Contracts' signatures are long, and so may be the text beside one. */
const LONGEST = 40_000;
/** How deep the signature may be. */
const DEEPEST = 3;
/** The usual length, and the longest that a contract may need. */
const MOST_BYTES = 8_192;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The signature in exported JSON: as a text, a list of bytes, a buffer, or `r`, `s` and `v`.
 * @returns encoded; undefined if the text isn't JSON, or has none
 */
export function signatureInJson(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  // Phones turn quotes into typographic ones, and chats break texts into lines.
  const straight = text.replaceAll(/[“”«»„]/gu, '"').replaceAll(/[\r\n\t]+/g, ' ');
  const start = straight.indexOf('{');
  const end = straight.lastIndexOf('}');
  if (start < 0 || end < start) return undefined;
  try {
    return signatureOf(JSON.parse(straight.slice(start, end + 1)), DEEPEST);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function signatureOf(value: unknown, deepest: number): string | undefined {
  if (!isFields(value) || deepest === 0) return undefined;
  const parts = ofParts(value);
  if (parts !== undefined) return parts;
  const fields = Object.entries(value);
  const named = fields.filter(([name]) =>
    NAMES.includes(name.toLowerCase().replaceAll(/[_\s-]/g, '')),
  );
  for (const [, each] of named) {
    const found = encodedOf(Array.isArray(each) && each.length === 1 ? each[0] : each);
    if (found !== undefined) return found;
  }
  for (const [, each] of fields) {
    const found = signatureOf(each, deepest - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function encodedOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const bytes = bytesOf(value);
  if (bytes !== undefined) return base64Text(bytes);
  return isFields(value) ? ofParts(value) : undefined;
}

/** A list, Node's buffer (`{type, data}`), or a typed array as JSON shows it (`{"0": …, "1": …}`). */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (isFields(value) && !Array.isArray(value)) {
    return bytesOf(Array.isArray(value.data) ? value.data : listOf(value));
  }
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_BYTES) return undefined;
  const isByte = (each: unknown) =>
    Number.isInteger(each) && Number(each) >= 0 && Number(each) < 256;
  return value.every(isByte) ? Uint8Array.from(value) : undefined;
}

function listOf(fields: Fields): unknown {
  const names = Object.keys(fields);
  return names.every((name, i) => name === String(i)) ? Object.values(fields) : undefined;
}

/** Of an Ethereum account: two words in hex, and the parity as 27 and 28 or 0 and 1. */
function ofParts({ r, s, v, yParity }: Fields): string | undefined {
  const parity = Number(v ?? yParity);
  const words = [r, s].map((each) => /^0x([0-9a-f]{1,64})$/i.exec(String(each))?.[1]);
  if (!Number.isInteger(parity) || parity < 0 || parity > 28) return undefined;
  if (words.some((each) => each === undefined)) return undefined;
  const last = parity.toString(16).padStart(2, '0');
  return `0x${words.map((each) => each?.padStart(64, '0')).join('')}${last}`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
