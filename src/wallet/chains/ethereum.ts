import { UserError } from '#base';
import { keccak256 } from '#wallet/keccak';
import type { ChainRules } from '#wallet/wallet';

const FORM = /^0x[0-9a-fA-F]{40}$/;
const LOWER = /^[0-9a-f]+$/;
const UPPER = /^[0-9A-F]+$/;

/** Ethereum addresses: `0x` and 40 hex digits; mixed case carries the EIP-55 checksum. */
export const ethereum: ChainRules = {
  chain: 'ethereum',

  looksLike: (text) => FORM.test(text),

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
