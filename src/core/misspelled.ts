import { nearest } from '#core/nearest';

/** Nobody but us has names that begin so, so one that isn't known is far more likely to be a slip. */
const OURS = /^(?:DISCORD|TELEGRAM|UPSTREAM|WALLETCONNECT|RATE_LIMIT|FATHOM)_/;
/** Of the many other variables of an environment only the nearest are taken for a slip. */
const FEW_EDITS = 2;

/**
 * Variables that are set but have no meaning here, and look like one that has.
 * @param set names of what is set
 * @param known names that mean something
 * @returns a sentence for each
 */
export function findMisspelled(set: Iterable<string>, known: readonly string[]): string[] {
  const sentences: string[] = [];
  for (const name of set) {
    // Rules files name the nodes of a source, the second one often with a number behind it.
    if (known.includes(name) || known.includes(name.replace(/_\d+$/, ''))) continue;
    const meant = nearest(name, known, OURS.test(name) ? undefined : FEW_EDITS);
    if (meant !== undefined) sentences.push(`${name}: unknown setting. Did you mean ${meant}?`);
  }
  return sentences;
}
