import { UserError, withoutQuotes } from '#base';
import type { Chain, ChainRules } from './chain.ts';

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
