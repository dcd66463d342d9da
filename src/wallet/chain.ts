/** The three chains, their codes in queries and what each must know about its addresses. */

export const CHAINS = ['ethereum', 'solana', 'algorand'] as const;
export type Chain = (typeof CHAINS)[number];

export const CHAIN_CODES = ['eth', 'sol', 'algo'] as const;
export type ChainCode = (typeof CHAIN_CODES)[number];

const CHAIN_OF_CODE: Record<ChainCode, Chain> = {
  eth: 'ethereum',
  sol: 'solana',
  algo: 'algorand',
};

/** `eth` → `ethereum`. */
export function chainOfCode(code: ChainCode): Chain {
  return CHAIN_OF_CODE[code];
}

/** `ethereum` → `eth`. */
export function codeOfChain(chain: Chain): ChainCode {
  return CHAIN_CODES[CHAINS.indexOf(chain)] as ChainCode;
}

/** What a chain knows about its addresses. The forms of different chains never overlap. */
export interface ChainRules {
  readonly chain: Chain;
  /** Whether the text has this chain's outer form (prefix, length, alphabet). Cheap; checks no checksum. */
  looksLike(text: string): boolean;
  /**
   * The canonical form of an address that `looksLike` accepted.
   * @throws UserError `invalid-address` when it is no address after all (checksum, length in bytes).
   */
  canonical(text: string): string;
}
