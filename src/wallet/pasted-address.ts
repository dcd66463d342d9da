import { withoutQuotes } from '#base';

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
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Shorter ones have many zero bytes: nobody has their keys, and other words may look like them. */
const SOLANA_AMONG_OTHERS = /^[1-9A-HJ-NP-Za-km-z]{40,44}$/;
const ALGORAND = /^[a-z2-7]{58}$/i;

/** Strips the command that a text starts with. */
export function withoutCommand(text: string): string {
  return text.replace(COMMAND, '').trim();
}

/**
 * Extracts an address from what people paste: with a label, in brackets, in an explorer's URL, with
 * its network (CAIP-10), broken into lines, with `0X`, or an Algorand address in lower case.
 * @returns the address alone; the text without quotes, unless it contains exactly one address
 */
export function pastedAddress(text: string): string {
  const found = addressesIn(text);
  return found.length === 1 ? String(found[0]) : withoutQuotes(text);
}

/** Every address in a text, without duplicates. */
export function addressesIn(text: string): readonly string[] {
  const plain = withoutCommand(withoutQuotes(text));
  const joined = plain.replaceAll(/\s+/gu, '');
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
