/** Longer numbers don't fit beside a plot on a phone. */
const COMPACT_FROM = 10_000;

/** Creating one takes longer than a plot. */
const formats = new Map<string, Intl.NumberFormat>();

/** A number beside a plot: `5,000`, `20K`. */
export function tickText(value: number, language: string): string {
  const isCompact = Math.abs(value) >= COMPACT_FROM;
  const key = `${language} ${isCompact}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat(language, {
      notation: isCompact ? 'compact' : 'standard',
      maximumFractionDigits: 1,
      useGrouping: 'always',
    });
    formats.set(key, format);
  }
  return format.format(value);
}
