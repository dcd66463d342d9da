import { Fault } from './faults.js';

/** The most characters of a signature that the service accepts. */
const MOST = 17_000;

export const utf8 = (text) => new TextEncoder().encode(text);

export const fromBase64 = (text) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0));

export const fromHex = (text) =>
  Uint8Array.from(text.match(/../g) ?? [], (each) => Number.parseInt(each, 16));

export function toBase64url(bytes) {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function toHex(bytes) {
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** For bytes that don't start with zero; no text does. */
export function toBase58(bytes) {
  let text = '';
  for (let rest = BigInt(toHex(bytes)); rest > 0n; rest /= 58n) text = BASE58[rest % 58n] + text;
  return text;
}

export function fromBase58(text) {
  let number = 0n;
  for (const each of text) number = number * 58n + BigInt(BASE58.indexOf(each));
  const digits = number === 0n ? '' : number.toString(16);
  const zeros = text.match(/^1*/)[0].length;
  return fromHex('00'.repeat(zeros) + digits.padStart(digits.length + (digits.length % 2), '0'));
}

/**
 * A signature as text; some wallets return text, others bytes, or an object: that as JSON, which the service reads if
 * it's long enough to hold one.
 * @throws {Fault}
 */
export function signatureOf(value) {
  const text = encodedOf(value) ?? jsonOf(value);
  if (text?.length <= MOST && /^(?:[\w+/=-]+$|\{.{80})/.test(text)) return text;
  throw new Fault('nonsense');
}

function encodedOf(value) {
  if (typeof value === 'string') return value.trim();
  const bytes = bytesOf(value);
  return bytes?.length <= MOST ? btoa(String.fromCharCode(...bytes)) : undefined;
}

function bytesOf(value) {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  const isList = Array.isArray(value) && value.every(Number.isInteger);
  return ArrayBuffer.isView(value) || isList ? value : undefined;
}

/** Of an object that JSON can show. */
function jsonOf(value) {
  if (Object(value) !== value) return undefined;
  const plain = (_, each) => {
    const bytes = bytesOf(each);
    if (bytes) return [...bytes];
    return typeof each === 'bigint' ? String(each) : each;
  };
  try {
    return JSON.stringify(Array.isArray(value) ? { signature: value } : value, plain);
  } catch {
    return undefined;
  }
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The public key in an Algorand address: its first 32 bytes, followed by a checksum. */
export function publicKeyOf(address) {
  const bits = [...address]
    .map((each) => BASE32.indexOf(each).toString(2).padStart(5, '0'))
    .join('');
  return Uint8Array.from({ length: 32 }, (_, i) =>
    Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2),
  );
}
