import fc, { type StringConstraints } from 'fast-check';

/** Surrogates, which are no characters by themselves. */
const SURROGATES = { from: 0xd800, count: 0x800 };

/**
 * Any character. Like fast-check's own `binary`, which keeps a map of all million of them for as long as the
 * process runs: that takes a second and 85 MB, which each garbage collection goes through.
 */
const character = fc.nat({ max: 0x10ffff - SURROGATES.count }).map(
  (n) => String.fromCodePoint(n < SURROGATES.from ? n : n + SURROGATES.count),
  (each) => {
    const point = typeof each === 'string' ? each.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== each)
      throw new Error('no character');
    return point < SURROGATES.from ? point : point - SURROGATES.count;
  },
);

/** Text of any characters, also of those that nobody types. */
export function anyString(constraints: Omit<StringConstraints, 'unit'> = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}
