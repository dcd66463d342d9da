import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTime, parseTime } from '#base/time/time';

const at = (text: string) => Date.parse(text) / 1000;

describe('formatting a time', () => {
  it.each([
    [0, '1970-01-01T00:00:00Z'],
    [1_765_809_000, '2025-12-15T14:30:00Z'],
    [253_402_300_799, '9999-12-31T23:59:59Z'],
  ])('%i is %s', (seconds, text) => {
    expect(formatTime(seconds)).toBe(text);
    expect(parseTime(text)).toBe(seconds);
  });

  it('survives a round trip', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
        expect(parseTime(formatTime(seconds))).toBe(seconds);
      }),
    );
  });
});

describe('parsing a time', () => {
  it.each([
    ['2024-02-29T12:00:00Z', at('2024-02-29T12:00:00Z')],
    ['2000-02-29T00:00:00Z', at('2000-02-29T00:00:00Z')],
    ['2024-01-15T01:30:00+02:00', at('2024-01-14T23:30:00Z')],
    ['2024-01-15T01:30:00-05:45', at('2024-01-15T07:15:00Z')],
    ['2024-01-15T00:00:00+14:00', at('2024-01-14T10:00:00Z')],
    ['2024-01-15T00:00:00.999999999Z', at('2024-01-15T00:00:00Z')],
    ['1969-12-31T23:59:59Z', -1],
  ])('%s is %i', (text, seconds) => {
    expect(parseTime(text)).toBe(seconds);
  });

  it.each([
    '2023-02-29T00:00:00Z',
    // No years of the 20th century.
    '0024-01-15T00:00:00Z',
    '0099-12-31T23:59:59Z',
    '1900-02-29T00:00:00Z',
    '2024-02-30T00:00:00Z',
    '2024-04-31T00:00:00Z',
    '2024-00-10T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-01-00T00:00:00Z',
    '2024-01-15T24:00:00Z',
    '2024-01-15T23:60:00Z',
    '2024-01-15T23:59:60Z',
    '2024-01-15T00:00:00',
    '2024-01-15T00:00:00z',
    '2024-01-15 00:00:00Z',
    '2024-01-15',
    '2024-1-15T00:00:00Z',
    '2024-01-15T00:00:00.Z',
    '2024-01-15T00:00:00+15:00',
    '2024-01-15T00:00:00+02:60',
    '2024-01-15T00:00:00+0200',
    '+02024-01-15T00:00:00Z',
    '٢٠٢٤-01-15T00:00:00Z',
    '2024-01-15T00:00:00Z\n',
    '',
  ])('rejects %j', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  it('agrees with the platform on every valid day, and rejects the others', () => {
    const part = (max: number) => fc.nat(max).map((value) => String(value).padStart(2, '0'));
    fc.assert(
      fc.property(fc.integer({ min: 1970, max: 2100 }), part(13), part(32), (year, month, day) => {
        const text = `${year}-${month}-${day}T06:07:08Z`;
        const platform = at(text);
        const exists =
          !Number.isNaN(platform) &&
          new Date(platform * 1000).toISOString().startsWith(text.slice(0, 10));
        expect(parseTime(text)).toBe(exists ? platform : undefined);
      }),
      { numRuns: 2_000 },
    );
  });
});
