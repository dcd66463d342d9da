import { base58, base64nopad, hex } from '@scure/base';

/** Longest text of a signature by one key: a signed transaction of Solana in hex has under 3,000. */
const MOST_OF_KEY = 4_096;
/** 16 KiB of hex: a contract may want many signatures and the code that creates it. */
const MOST_OF_CONTRACT = 16 * 1024;
/** The time that base58 takes grows with the square of the length. */
const MOST_OF_BASE58 = 2_048;

const HEX = /^(?:0x)?((?:[0-9a-f]{2})*)$/i;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * The bytes of a signature in hex, with or without `0x`.
 * @returns undefined for anything else, and for nothing at all without `0x`
 */
export function readHex(text: string): Uint8Array | undefined {
  // Two more for 0x, and some for line breaks and quotes.
  if (text.length > MOST_OF_CONTRACT + 1_024) return undefined;
  const bare = withoutQuotes(text);
  const digits = HEX.exec(bare)?.[1];
  if (digits === undefined || bare === '' || digits.length > MOST_OF_CONTRACT) return undefined;
  return hex.decode(digits.toLowerCase());
}

/**
 * Every way to read what wallets and command lines print: hex, base58, base64 and base64url, with or
 * without padding. One text may be several: only what is signed tells which one was meant.
 * @returns at most three, none when it is too long
 */
export function readingsOf(text: string): readonly Uint8Array[] {
  if (text.length > MOST_OF_KEY) return [];
  const bare = withoutQuotes(text);
  const asHex = bare === '' ? undefined : HEX.exec(bare)?.[1];
  // No other way of writing begins with 0x and means it.
  if (asHex !== undefined && /^0x/i.test(bare)) return [hex.decode(asHex.toLowerCase())];
  const readings = [
    asHex === undefined ? undefined : hex.decode(asHex.toLowerCase()),
    BASE58.test(bare) && bare.length <= MOST_OF_BASE58 ? base58.decode(bare) : undefined,
    readBase64(bare),
  ];
  return readings.filter((bytes) => bytes !== undefined);
}

/** @returns undefined for what is no base64 of whole bytes */
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

/** White space comes from line breaks of a terminal, quotes from JSON and shells. */
function withoutQuotes(text: string): string {
  return text.replaceAll(/[\s"'`]+/g, '');
}
