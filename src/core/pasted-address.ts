import { withoutQuotes } from '#core/sanitize-text';

/**
 * A command, in Discord also as a mention of it, which people type into its own option. Names have at
 * most 32 characters; a signature in base64 may begin with a slash too.
 */
const COMMAND = /^(?:<?\/\w{1,32}(?:@\w+|:\d+>)?(?![\w/+=])[\s:]*)+/;
/** https://chainagnostic.org/CAIPs/caip-10; the network's id may look like an address itself. */
const CAIP_10 = /\b(?:eip155|solana|algorand):[\w-]+:(\w+)/g;
/** What of a URL may be a secret, and is never an address. */
const FRAGMENT = /(?<=:\/\/\S*)#\S*/g;
const ETHEREUM = /^0x[0-9a-f]{40}$/i;
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Shorter ones have many zero bytes: nobody has a key to those, and other words may look so. */
const SOLANA_AMONG_OTHERS = /^[1-9A-HJ-NP-Za-km-z]{40,44}$/;
const ALGORAND = /^[a-z2-7]{58}$/i;

/** Without the command that a text begins with. */
export function withoutCommand(text: string): string {
  return text.replace(COMMAND, '').trim();
}

/**
 * One address as people paste it: with a label, in brackets, in an explorer's URL, with its network
 * (CAIP-10), broken into lines, with `0X`, or an Algorand address in lower case.
 * @returns the address alone; the text, but for quotes, where there isn't exactly one
 */
export function pastedAddress(text: string): string {
  const found = addressesIn(text);
  return found.length === 1 ? String(found[0]) : withoutQuotes(text);
}

/** Every address in a text, once each. */
export function addressesIn(text: string): readonly string[] {
  const plain = withoutCommand(withoutQuotes(text));
  const whole = addressOf(plain.replaceAll(/\s+/gu, ''));
  if (whole !== undefined) return [whole];
  const words = plain
    .replaceAll(FRAGMENT, '')
    .replaceAll(CAIP_10, '$1')
    .split(/[^A-Za-z0-9]+/);
  const isLikely = (word: string) => !SOLANA.test(word) || SOLANA_AMONG_OTHERS.test(word);
  const found = words.filter(isLikely).map(addressOf);
  return [...new Set(found.filter((each) => each !== undefined))];
}

/** A word that has the form of an address, as its chain writes that. */
export function addressOf(word: string): string | undefined {
  if (ETHEREUM.test(word)) return `0x${word.slice(2)}`;
  if (ALGORAND.test(word)) return isOneCase(word) ? word.toUpperCase() : undefined;
  return SOLANA.test(word) ? word : undefined;
}

function isOneCase(word: string): boolean {
  return word === word.toLowerCase() || word === word.toUpperCase();
}
