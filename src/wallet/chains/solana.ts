import { base58 } from '@scure/base';
import { UserError } from '#base';
import type { ChainRules } from '#wallet/wallet';

/** 32 bytes take 32 (all zero) to 44 characters. */
const FORM = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const BYTES = 32;

/** Solana addresses: 32 bytes in base58. They have no checksum, so we can only check the length. */
export const solana: ChainRules = {
  chain: 'solana',

  looksLike: (text) => FORM.test(text),

  canonical(text) {
    const { length } = base58.decode(text);
    if (length !== BYTES) {
      throw new UserError(
        'invalid-address',
        `This looks like a Solana address, but it decodes to ${length} bytes instead of ${BYTES}. Characters are missing or extra: copy it again.`,
      );
    }
    return text;
  },
};
