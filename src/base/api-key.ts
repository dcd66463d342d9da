import type { MaybePromise } from './maybe-promise.ts';

/**
 * The format of an API key: `fth_`, 30 random base62 characters (178 bits), 6 base62 characters of
 * their CRC32. The prefix lets secret scanners find keys; the checksum catches typing errors
 * without a lookup.
 */

/** Most keys a person may have at a time; an operator's own machine keys don't count. */
export const LIVE_KEYS_PER_OWNER = 3;

const PREFIX = 'fth_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const FORM = /^fth_[0-9A-Za-z]{36}$/;

/** The largest multiple of 62 in a byte; bytes from here on would favour some characters. */
const FAIR_BYTES = 248;

/** @param randomBytes a cryptographic source, such as `randomBytes` of `node:crypto` */
export function createApiKey(randomBytes: (length: number) => Uint8Array): string {
  let secret = '';
  while (secret.length < SECRET_LENGTH) {
    for (const byte of randomBytes(SECRET_LENGTH - secret.length)) {
      if (byte < FAIR_BYTES) secret += ALPHABET[byte % ALPHABET.length];
    }
  }
  return PREFIX + secret + checksum(secret);
}

/** Whether the text has a key's format and a valid checksum. Says nothing about whose it is. */
export function looksLikeApiKey(text: string): boolean {
  if (!FORM.test(text)) return false;
  const secret = text.slice(PREFIX.length, PREFIX.length + SECRET_LENGTH);
  return text.endsWith(checksum(secret));
}

function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

/** CRC-32 as in zip and PNG (reflected, polynomial 0xEDB88320) of an ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i += 1) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** A stored API key, without the key itself. */
export interface ApiKey {
  readonly id: string;
  readonly label: string;
  /** Its owner: `cli`, or a chat account such as `discord:1234`. */
  readonly owner: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly revokedAt: number | undefined;
}

export interface KeyStore {
  /** @param hash SHA-256 of the key, 64 hex digits. @returns a live key, or undefined */
  findByHash(hash: string): MaybePromise<ApiKey | undefined>;
  /**
   * @param liveLimit maximum active keys of the owner, including this one; checked in the same
   *   transaction
   * @throws UserError `key-limit`
   */
  add(key: { label: string; owner: string; hash: string }, liveLimit: number): MaybePromise<ApiKey>;
  /** All keys, oldest first; those of one owner if given. */
  list(owner?: string): MaybePromise<ApiKey[]>;
  /** @throws UserError `key-not-found` (also for another owner's key, if an owner is given) */
  revoke(id: string, owner?: string): MaybePromise<void>;
}
