/** The rules of each chain: its addresses and how they are written. */

import { hash } from 'node:crypto';
import { base32nopad, base58 } from '@scure/base';
import { UserError } from '#base';
import { keccak256 } from '#wallet/keccak';
import type { ChainRules } from '#wallet/wallet';

/** 36 bytes in base32 without padding. */
const ALGORAND_FORM = /^[A-Z2-7]{58}$/;
const KEY_BYTES = 32;
const CHECKSUM_BYTES = 4;

/** Algorand addresses: a public key and the last 4 bytes of its SHA-512/256, in base32. */
export const algorand: ChainRules = {
  chain: 'algorand',

  looksLike: (text) => ALGORAND_FORM.test(text),

  canonical(text) {
    const bytes = algorandBytes(text);
    const expected = hash('sha512-256', bytes.subarray(0, KEY_BYTES), 'buffer');
    if (!expected.subarray(-CHECKSUM_BYTES).equals(bytes.subarray(KEY_BYTES)))
      throw wrongAlgorand();
    return text;
  },
};

/** The address of the account that a 32-byte public key signs for. */
export function addressOfKey(key: Uint8Array): string {
  const checksum = hash('sha512-256', key, 'buffer').subarray(-CHECKSUM_BYTES);
  return base32nopad.encode(Buffer.concat([key, checksum]));
}

/** Rejects a last character with unused bits set: every address has exactly one form. */
function algorandBytes(text: string): Uint8Array {
  try {
    return base32nopad.decode(text);
  } catch (error) {
    throw wrongAlgorand(error);
  }
}

function wrongAlgorand(cause?: unknown): UserError {
  return new UserError(
    'invalid-address',
    'This Algorand address has a wrong checksum, so at least one character is wrong. Copy it again.',
    [],
    cause === undefined ? {} : { cause },
  );
}

const ETHEREUM_FORM = /^0x[0-9a-fA-F]{40}$/;
const LOWER = /^[0-9a-f]+$/;
const UPPER = /^[0-9A-F]+$/;

/** Ethereum addresses: `0x` and 40 hex digits; mixed case carries the EIP-55 checksum. */
export const ethereum: ChainRules = {
  chain: 'ethereum',

  looksLike: (text) => ETHEREUM_FORM.test(text),

  canonical(text) {
    const digits = text.slice(2);
    const canonical = withChecksum(digits.toLowerCase());
    // Only mixed case carries the checksum; wallets also print addresses in a single case.
    if (text !== canonical && !LOWER.test(digits) && !UPPER.test(digits)) {
      throw new UserError(
        'invalid-address',
        "This Ethereum address has a wrong checksum (EIP-55), so at least one character is wrong. Copy it again, or write it in lower case if you're sure of it.",
      );
    }
    return canonical;
  },
};

const CODE_OF_LOWER_A = 97;
const CODE_OF_8 = 56;
const TO_UPPER = 32;

/**
 * The EIP-55 form: a letter is upper case where the corresponding digit of the hash is 8 or more.
 * @param digits 40 hex digits in lower case, without `0x`
 */
function withChecksum(digits: string): string {
  const hashed = Buffer.from(keccak256(Buffer.from(digits, 'latin1'))).toString('hex');
  const codes = Buffer.from(digits, 'latin1');
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number;
    // In ASCII, the digits 8 and 9 and all lower-case letters are at or above '8'.
    if (code >= CODE_OF_LOWER_A && hashed.charCodeAt(i) >= CODE_OF_8) codes[i] = code - TO_UPPER;
  }
  return `0x${codes.toString('latin1')}`;
}

/** 32 bytes take 32 (all zero) to 44 characters. */
const SOLANA_FORM = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const SOLANA_BYTES = 32;

/** Solana addresses: 32 bytes in base58. They have no checksum, so we can only check the length. */
export const solana: ChainRules = {
  chain: 'solana',

  looksLike: (text) => SOLANA_FORM.test(text),

  canonical(text) {
    const { length } = base58.decode(text);
    if (length !== SOLANA_BYTES) {
      throw new UserError(
        'invalid-address',
        `This looks like a Solana address, but it decodes to ${length} bytes instead of ${SOLANA_BYTES}. Characters are missing or extra: copy it again.`,
      );
    }
    return text;
  },
};

/** All chains that Fathom supports. */
export const chains: readonly ChainRules[] = [ethereum, solana, algorand];
