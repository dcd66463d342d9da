/**
 * Reproducible random-looking numbers: the value of (key, counter) never changes, so any line and
 * wallet of a data set can be computed on its own, in any order.
 */

/**
 * A 32-bit value for a key and a counter. Different counters under one key give different values.
 */
export function hash32(key: number, counter: number): number {
  let h = Math.imul(counter ^ key, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  h = (h ^ (h >>> 16)) + Math.imul(key, 0x27d4eb2f);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The same as a fraction: at least 0, below 1. */
export function fraction(key: number, counter: number): number {
  return hash32(key, counter) / 2 ** 32;
}

const HEX16 = Array.from({ length: 65_536 }, (_, value) => value.toString(16).padStart(4, '0'));

/** `words` × 8 hex digits. */
export function hexOf(key: number, counter: number, words: number): string {
  let text = '';
  for (let word = 0; word < words; word += 1) {
    const value = hash32(key + word * 7919, counter);
    text += HEX16[value >>> 16]! + HEX16[value & 0xffff]!;
  }
  return text;
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE58_PAIRS = Array.from(
  { length: 58 * 58 },
  (_, value) => BASE58[Math.floor(value / 58)]! + BASE58[value % 58]!,
);

/** 44 base58 characters that encode exactly 32 bytes, as a Solana key does. */
export function base58Key(key: number, counter: number): string {
  // 58^43 × 17 is below 2^256 and 58^43 is above 2^248: with a first digit of 1 to 16, whatever
  // follows, the number has 32 bytes and no leading zero. So no big-number division is needed.
  let text = BASE58[1 + (hash32(key, counter) % 16)]! + BASE58[hash32(key + 1, counter) % 58]!;
  for (let word = 2; word < 23; word += 1) {
    text += BASE58_PAIRS[hash32(key + word * 104_729, counter) % 3364]!;
  }
  return text;
}
