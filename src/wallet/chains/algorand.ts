import { hash } from 'node:crypto';
import { base32nopad } from '@scure/base';
import { UserError } from '#base';
import type { ChainRules } from '#wallet/wallet';

/** 36 bytes in base32 without padding. */
const FORM = /^[A-Z2-7]{58}$/;
const KEY_BYTES = 32;
const CHECKSUM_BYTES = 4;

/** Algorand addresses: a public key and the last 4 bytes of its SHA-512/256, in base32. */
export const algorand: ChainRules = {
  chain: 'algorand',

  looksLike: (text) => FORM.test(text),

  canonical(text) {
    const bytes = decode(text);
    const expected = hash('sha512-256', bytes.subarray(0, KEY_BYTES), 'buffer');
    if (!expected.subarray(-CHECKSUM_BYTES).equals(bytes.subarray(KEY_BYTES))) throw wrong();
    return text;
  },
};

/** The address of the account that a 32-byte public key signs for. */
export function addressOfKey(key: Uint8Array): string {
  const checksum = hash('sha512-256', key, 'buffer').subarray(-CHECKSUM_BYTES);
  return base32nopad.encode(Buffer.concat([key, checksum]));
}

/** Rejects a last character with unused bits set: every address has exactly one form. */
function decode(text: string): Uint8Array {
  try {
    return base32nopad.decode(text);
  } catch (error) {
    throw wrong(error);
  }
}

function wrong(cause?: unknown): UserError {
  return new UserError(
    'invalid-address',
    'This Algorand address has a wrong checksum, so at least one character is wrong. Copy it again.',
    [],
    cause === undefined ? {} : { cause },
  );
}
