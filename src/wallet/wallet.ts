import { UserError, withoutQuotes } from '#base';

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

/** An address in its chain's canonical form. */
export interface Wallet {
  readonly chain: Chain;
  readonly address: string;
}

/** Longer texts can't be an address on any chain, and aren't parsed. */
export const ADDRESS_TEXT_MAX = 128;

export interface WalletParser {
  /**
   * Parses an address of any chain.
   * @param expected the chain that the caller specified, if any
   * @throws UserError `invalid-address`, or `chain-mismatch` if the address belongs to another
   * chain
   */
  parse(text: string, expected?: Chain): Wallet;
  /** Whether the text, ignoring surrounding quotes, looks like an address of some chain. */
  hasForm(text: string): boolean;
}

/** A parser for the given chains. The chain is detected from the address's form. */
export function createWalletParser(chains: readonly ChainRules[]): WalletParser {
  return {
    hasForm(text) {
      const bare = withoutQuotes(text);
      return bare.length <= ADDRESS_TEXT_MAX && chains.some((each) => each.looksLike(bare));
    },
    parse(text, expected) {
      const rules =
        text.length <= ADDRESS_TEXT_MAX ? chains.find((each) => each.looksLike(text)) : undefined;
      if (rules === undefined) {
        throw new UserError(
          'invalid-address',
          "This isn't a wallet address. Use an Ethereum address (0x and 40 hex digits), a Solana address (32 to 44 base58 characters, case-sensitive) or an Algorand address (58 characters A-Z and 2-7).",
        );
      }
      const wallet = { chain: rules.chain, address: rules.canonical(text) };
      if (expected !== undefined) requireChain(wallet, expected);
      return wallet;
    },
  };
}

/** @throws UserError `chain-mismatch` if the wallet isn't on the expected chain */
export function requireChain(wallet: Wallet, expected: Chain): void {
  if (wallet.chain === expected) return;
  throw new UserError(
    'chain-mismatch',
    `This is an address on ${wallet.chain}, not on ${expected}. Leave out the chain to have it detected, or use ${wallet.chain}.`,
  );
}

/** `0x1234…5678`: the first six and last four characters, for display only. */
export function shortAddress(address: string): string {
  return address.length <= 12 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`;
}
