import { base58, base64nopad, hex } from '@scure/base';

/**
 * Longest submission for a single key: a signed Solana transaction in hex has fewer than 3,000
 * characters.
 */
const MOST_OF_KEY = 4_096;
/** 16 KiB of hex: a contract may need many signatures and its deployment code. */
const MOST_OF_CONTRACT = 16 * 1024;
/** Decoding base58 takes quadratic time. */
const MOST_OF_BASE58 = 2_048;

const HEX = /^(?:0x)?((?:[0-9a-f]{2})*)$/i;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * The bytes of a signature in hex, with or without `0x`.
 * @returns undefined for anything else, and for an empty string without `0x`
 */
export function readHex(text: string): Uint8Array | undefined {
  // Allow for `0x`, line breaks and quotes.
  if (text.length > MOST_OF_CONTRACT + 1_024) return undefined;
  const bare = withoutQuotes(text);
  const digits = HEX.exec(bare)?.[1];
  if (digits === undefined || bare === '' || digits.length > MOST_OF_CONTRACT) return undefined;
  return hex.decode(digits.toLowerCase());
}

/**
 * Decodes a submission in every encoding that wallets and command lines print: hex, base58, base64
 * and base64url, padded or not. A text may be valid in several: only the signature tells which one
 * was meant.
 * @returns at most three, none if it is too long
 */
export function readingsOf(text: string): readonly Uint8Array[] {
  if (text.length > MOST_OF_KEY) return [];
  const bare = withoutQuotes(text);
  const asHex = bare === '' ? undefined : HEX.exec(bare)?.[1];
  // No other encoding uses a `0x` prefix.
  if (asHex !== undefined && /^0x/i.test(bare)) return [hex.decode(asHex.toLowerCase())];
  const readings = [
    asHex === undefined ? undefined : hex.decode(asHex.toLowerCase()),
    BASE58.test(bare) && bare.length <= MOST_OF_BASE58 ? base58.decode(bare) : undefined,
    readBase64(bare),
  ];
  return readings.filter((bytes) => bytes !== undefined);
}

/** @returns undefined unless it is base64 of whole bytes */
export function readBase64(text: string): Uint8Array | undefined {
  if (text.length > MOST_OF_KEY) return undefined;
  const bare = withoutQuotes(text);
  if (!BASE64.test(bare)) return undefined;
  const plain = bare.replaceAll('=', '').replaceAll('-', '+').replaceAll('_', '/');
  try {
    return base64nopad.decode(plain);
  } catch {
    return undefined;
  }
}

/** White space comes from terminal line breaks, quotes from JSON and shells. */
function withoutQuotes(text: string): string {
  return text.replaceAll(/[\s"'`]+/g, '');
}
