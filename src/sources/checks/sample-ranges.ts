/** The heights after `from`, up to and including `to`. */
export interface HeightRange {
  readonly from: number;
  readonly to: number;
}

/** The most ranges in a sample, spread evenly over the whole. */
const RANGES = 20;

/**
 * Random ranges, in order, that make up a share of the whole.
 * @param share above 0, up to 1
 * @param random returns a number from 0 up to, but not including, 1
 */
export function sampleRanges(
  whole: HeightRange,
  share: number,
  random: () => number,
): HeightRange[] {
  const heights = whole.to - whole.from;
  if (heights <= 0) return [];
  const taken = Math.min(heights, Math.max(1, Math.ceil(heights * share)));
  const count = Math.min(RANGES, taken);
  return Array.from({ length: count }, (_, slot) => {
    const start = whole.from + Math.floor((heights * slot) / count);
    const end = whole.from + Math.floor((heights * (slot + 1)) / count);
    const length = Math.min(end - start, Math.ceil(taken / count));
    const from = start + Math.floor(random() * (end - start - length + 1));
    return { from, to: from + length };
  });
}
