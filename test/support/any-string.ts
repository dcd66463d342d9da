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

const inUrls = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(..."abcxyzABCXYZ0189-._~!$&'()*+,;=:@") },
  { weight: 1, arbitrary: character.map(encodeURIComponent) },
);

/** An address on the web. Like fast-check's own `webUrl`, which keeps the same map of all characters. */
export function anyWebUrl({ withFragments = false } = {}): fc.Arbitrary<string> {
  const part = fc.string({ unit: inUrls });
  return fc
    .tuple(
      fc.constantFrom('http', 'https'),
      fc.domain(),
      fc.array(part.map((segment) => `/${segment}`)),
      withFragments ? fc.option(part.map((fragment) => `#${fragment}`)) : fc.constant(null),
    )
    .map(
      ([scheme, host, path, fragment]) => `${scheme}://${host}${path.join('')}${fragment ?? ''}`,
    );
}
