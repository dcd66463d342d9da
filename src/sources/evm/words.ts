import { ethereum } from '#wallet/chains';

/** Hex digits in an ABI word. */
export const WORD = 64;

export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';
/** How many addresses to cache with their checksum, about 200 bytes each. */
const KEPT = 50_000;

let canonical = new Map<string, string>();

/** The canonical address. @param digits 40 hex digits, without 0x */
export function addressOfDigits(digits: string): string {
  const known = canonical.get(digits);
  if (known !== undefined) return known;
  if (canonical.size >= KEPT) canonical = new Map();
  const address = ethereum.canonical(`0x${digits}`.toLowerCase());
  canonical.set(digits, address);
  return address;
}

/** The address in a word, as digits. @param word of a log, so in lower case */
export function addressDigits(word: string): string {
  return word.slice(-40);
}

const WORDS = /[0-9a-f]{64}/g;
/** Zeros that an address has before it, and small numbers have more of. */
const BEFORE_ADDRESS = '0'.repeat(WORD - 40);
const BEFORE_NUMBER = '0'.repeat(WORD - 20);

/**
 * The addresses that a log seems to name, whatever it is: words that are as long as one, which large numbers may be.
 * @param parts its topics and data
 */
export function addressWordsIn(parts: readonly string[]): string[] {
  const words = parts.flatMap((each) => each.slice(2).match(WORDS) ?? []);
  return words
    .filter((each) => each.startsWith(BEFORE_ADDRESS) && !each.startsWith(BEFORE_NUMBER))
    .map((each) => addressOfDigits(addressDigits(each)));
}

/** `0x1a` → 26, also with zeros before it; undefined if it's no quantity, or too large for a height or a time. */
export function quantityIn(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^0x0{0,60}[0-9a-fA-F]{1,13}$/.test(value)) return undefined;
  return Number(value);
}

export function quantityOf(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
