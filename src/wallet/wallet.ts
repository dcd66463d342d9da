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
    `This is an address on ${wallet.chain}, not on ${expected}. Leave out the chain to have it detected, or use ${codeOfChain(wallet.chain)}.`,
  );
}

/** `0x1234…5678`: the first six and last four characters, for display only. */
export function shortAddress(address: string): string {
  return address.length <= 12 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/**
 * A command, also as a Discord mention, that people type into its own option. Names have at most 32
 * characters; a base64 signature may start with a slash, too.
 */
const COMMAND = /^(?:<?\/\w{1,32}(?:@\w+|:\d+>)?(?![\w/+=])[\s:]*)+/;
/** https://chainagnostic.org/CAIPs/caip-10; the network id may look like an address itself. */
const CAIP_10 = /\b(?:eip155|solana|algorand):[\w-]+:(\w+)/g;
/** The part of a URL that may be a secret, and is never an address. */
const FRAGMENT = /(?<=:\/\/\S*)#\S*/g;
const ETHEREUM = /^0x[0-9a-f]{40}$/i;
/** What people type, scans read and Postgres writes for the `0x` in front of an address or more digits. */
const LIKE_PREFIX = /(?<![\p{L}\p{N}])[0oо\\][x×х](?=[0-9a-f]{64}|[0-9a-f]{40}(?![0-9a-z]))/giu;
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Shorter ones have many zero bytes: nobody has their keys, and other words may look like them. */
const SOLANA_AMONG_OTHERS = /^[1-9A-HJ-NP-Za-km-z]{40,44}$/;
const ALGORAND = /^[a-z2-7]{58}$/i;

/** Strips the command that a text starts with. */
export function withoutCommand(text: string): string {
  return text.replace(COMMAND, '').trim();
}

/** With `0x` where a text has an `O`, a Cyrillic letter or a sign of multiplication in it. */
export function withPrefixes(text: string): string {
  return text.replaceAll(LIKE_PREFIX, '0x');
}

/**
 * Extracts an address from what people paste: with a label, in brackets, in an explorer's URL, with
 * its network (CAIP-10), broken into lines, with `0X` or `Ox`, or an Algorand address in lower case.
 * @returns the address alone; the text without quotes, unless it contains exactly one address
 */
export function pastedAddress(text: string): string {
  const found = addressesIn(text);
  return found.length === 1 ? String(found[0]) : withoutQuotes(text);
}

/** Every address in a text, without duplicates. */
export function addressesIn(text: string): readonly string[] {
  const plain = withPrefixes(withoutCommand(withoutQuotes(text)));
  const joined = withPrefixes(plain.replaceAll(/\s+/gu, ''));
  const whole = addressOf(joined);
  // The letters of a sentence may form one, too.
  if (whole !== undefined && (joined === plain || /\d/.test(joined))) return [whole];
  const words = plain
    .replaceAll(FRAGMENT, '')
    .replaceAll(CAIP_10, '$1')
    .split(/[^A-Za-z0-9]+/);
  const isLikely = (word: string) => !SOLANA.test(word) || SOLANA_AMONG_OTHERS.test(word);
  const found = words.filter(isLikely).map(addressOf);
  return [...new Set(found.filter((each) => each !== undefined))];
}

/** A word that looks like an address, in its chain's spelling. */
export function addressOf(word: string): string | undefined {
  if (ETHEREUM.test(word)) return `0x${word.slice(2)}`;
  if (ALGORAND.test(word)) return isOneCase(word) ? word.toUpperCase() : undefined;
  return SOLANA.test(word) ? word : undefined;
}

function isOneCase(word: string): boolean {
  return word === word.toLowerCase() || word === word.toUpperCase();
}
