/** Longer numbers don't fit next to a plot on a phone. */
const COMPACT_FROM = 100_000;

/** Creating one takes longer than a plot. */
const formats = new Map<string, Intl.NumberFormat>();

/**
 * Formats the axis labels of a plot consistently: `5,000`, or `5K` if others are long.
 * @param most the largest of them
 */
export function tickText(most: number, language: string): (value: number) => string {
  const notation = most >= COMPACT_FROM ? 'compact' : 'standard';
  const key = `${language} ${notation}`;
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(language, {
      notation,
      maximumFractionDigits: 1,
      useGrouping: 'always',
    });
  formats.set(key, format);
  return (value) => format.format(value);
}
