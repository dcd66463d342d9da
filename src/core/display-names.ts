import type { LeaderboardEntry } from '#core/records';
import { sanitizeText, withoutQuotes } from '#core/sanitize-text';

/** Wallets that are offered when several have the name. */
const NAMESAKES_MAX = 25;

/** Needs none of the work that keeps what is unseen out of a name: nearly every one is like this. */
const PLAIN = /^[!#-&(-_a-~]+(?: [!#-&(-_a-~]+)*$/;

/**
 * What two spellings of a name have in common, so that it can be typed as it is shown: without case,
 * quotes (phones turn them), forms of the same letter, and what can't be seen.
 * @returns empty for a name that has nothing to type
 */
export function foldName(name: string): string {
  // Upper case last: it alone makes one of "ß" and "ss", and of the two small sigmas.
  const typed = PLAIN.test(name) ? name : sanitizeText(withoutQuotes(name));
  return typed.toLowerCase().toUpperCase();
}

/**
 * Whom a name means, of those whose names fold to the same: those who are spelt exactly so, else all.
 * @param namesakes the best first
 */
export function pickNamesakes(
  name: string,
  namesakes: readonly LeaderboardEntry[],
): readonly LeaderboardEntry[] {
  const wanted = sanitizeText(name);
  const exact = namesakes.filter(({ displayName }) => sanitizeText(displayName) === wanted);
  return (exact.length > 0 ? exact : namesakes).slice(0, NAMESAKES_MAX);
}
