/** Longer words aren't compared: they aren't typos of another one. */
const LONGEST = 64;
/** Among the many other environment variables, only near matches count as typos. */
const FEW_EDITS = 2;

/**
 * The word that was most likely meant: the one with the smallest edit distance, if that is small
 * for its length. Case doesn't count.
 * @param most maximum distance, if a third of its length would be more
 * @returns undefined if none is close enough
 */
export function nearest(
  typed: string,
  words: Iterable<string>,
  most = Number.POSITIVE_INFINITY,
): string | undefined {
  if (typed.length > LONGEST) return undefined;
  const wanted = typed.toLowerCase();
  let best: string | undefined;
  let fewest = Math.min(most, Math.max(1, Math.floor(wanted.length / 3))) + 1;
  for (const word of words) {
    const other = word.toLowerCase();
    // A distance is at least the difference in length, and takes much longer to compute.
    if (Math.abs(wanted.length - other.length) >= fewest) continue;
    const edits = distance(wanted, other);
    // If two letters have one in common, that says nothing: `to` isn't `no`.
    if (edits < fewest && edits * 2 < Math.max(wanted.length, other.length)) {
      best = word;
      fewest = edits;
    }
  }
  return best;
}

/**
 * Edit distance: insertions, deletions, replacements and swaps of neighbours (optimal string
 * alignment).
 */
function distance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwap) edits = Math.min(edits, (beforeLast[j - 2] ?? 0) + 1);
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return last[other.length] ?? 0;
}

/**
 * Finds variables that are set but unknown, and look like a known one.
 * @param set names of variables that are set
 * @param known names that mean something
 * @param ours prefixes that nobody else uses, so that an unknown name with one is most likely a typo
 * @returns a sentence for each
 */
export function findMisspelled(
  set: Iterable<string>,
  known: readonly string[],
  ours: readonly string[],
): string[] {
  const sentences: string[] = [];
  for (const name of set) {
    // Rules files name the nodes of a source, often with a number appended to the second.
    if (known.includes(name) || known.includes(name.replace(/_\d+$/, ''))) continue;
    const isOurs = ours.some((prefix) => name.startsWith(prefix));
    const meant = nearest(name, known, isOurs ? undefined : FEW_EDITS);
    if (meant !== undefined) sentences.push(`${name}: unknown setting. Did you mean ${meant}?`);
  }
  return sentences;
}
