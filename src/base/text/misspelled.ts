import { nearest } from './nearest.ts';

/** Nobody else uses these prefixes, so an unknown name with one is most likely a typo. */
const OURS = /^(?:DISCORD|TELEGRAM|UPSTREAM|WALLETCONNECT|RATE_LIMIT|FATHOM)_/;
/** Among the many other environment variables, only near matches count as typos. */
const FEW_EDITS = 2;

/**
 * Finds variables that are set but unknown, and look like a known one.
 * @param set names of variables that are set
 * @param known names that mean something
 * @returns a sentence for each
 */
export function findMisspelled(set: Iterable<string>, known: readonly string[]): string[] {
  const sentences: string[] = [];
  for (const name of set) {
    // Rules files name the nodes of a source, often with a number appended to the second.
    if (known.includes(name) || known.includes(name.replace(/_\d+$/, ''))) continue;
    const meant = nearest(name, known, OURS.test(name) ? undefined : FEW_EDITS);
    if (meant !== undefined) sentences.push(`${name}: unknown setting. Did you mean ${meant}?`);
  }
  return sentences;
}
