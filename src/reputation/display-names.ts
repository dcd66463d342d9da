import { hasVisibleText, sanitizeText, withoutQuotes } from '#base';
import { addressOf } from '#wallet';
import type { LeaderboardEntry } from './api-records.ts';

/** Most wallets to offer if several have the name. */
const NAMESAKES_MAX = 25;

/** Names that need no sanitizing: nearly all of them. */
const PLAIN = /^[!#-&(-_a-~]+(?: [!#-&(-_a-~]+)*$/;

/**
 * Normalizes a name, so that it can be typed as it is shown: ignores case, quotes (phones change
 * them), variants of the same letter, and invisible characters.
 * @returns empty for a name with nothing to type
 */
export function foldName(name: string): string {
  // Upper-case last: only that makes "ß" equal "ss", and unifies the two small sigmas.
  const typed = PLAIN.test(name) ? name : sanitizeText(withoutQuotes(name));
  return typed.toLowerCase().toUpperCase();
}

/** What addresses have, shortened or whole, and few names. */
const MAY_BE_ADDRESS = /^0x|\.\.|.{32}/i;
/** An address as we, or others, shorten it. */
const SHORTENED =
  /^(?:0x[0-9a-f]{2,}(?:⋯|[^0-9a-z\s]{2,})[0-9a-f]{2,}|[0-9a-z]{6}\.{2,}[0-9a-z]{4})$/i;

/**
 * Whether a name can be shown for a wallet: it has something to see, and can't pass for an address, which would
 * be another wallet's.
 */
export function isShowableName(name: string): boolean {
  if (!hasVisibleText(name)) return false;
  if (PLAIN.test(name) && !MAY_BE_ADDRESS.test(name)) return true;
  const seen = withoutQuotes(sanitizeText(name));
  const isWhole = /\d/.test(seen) && addressOf(seen) !== undefined;
  return !isWhole && !SHORTENED.test(seen);
}

/**
 * Which wallets a name refers to, of those whose names fold to the same: exact matches if there are
 * any, else all.
 * @param namesakes best first
 */
export function pickNamesakes(
  name: string,
  namesakes: readonly LeaderboardEntry[],
): readonly LeaderboardEntry[] {
  const wanted = sanitizeText(name);
  const exact = namesakes.filter(({ displayName }) => sanitizeText(displayName) === wanted);
  return (exact.length > 0 ? exact : namesakes).slice(0, NAMESAKES_MAX);
}
