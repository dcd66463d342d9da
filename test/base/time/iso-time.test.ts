import { describe, expect, it } from 'vitest';
import { parseIsoTime } from '#base/time/time';

const at = (text: string) => Date.parse(text) / 1000;

describe('a time that others wrote', () => {
  it.each([
    ['2024-02-29T12:00:00Z', at('2024-02-29T12:00:00Z')],
    ['2024-01-15t01:30:00z', at('2024-01-15T01:30:00Z')],
    ['2024-01-15T01:30:00+0200', at('2024-01-14T23:30:00Z')],
    ['2024-01-15T01:30:00-05', at('2024-01-15T06:30:00Z')],
    ['2024-01-15T01:30Z', at('2024-01-15T01:30:00Z')],
    ['2024-01-15T01:30+05:30', at('2024-01-14T20:00:00Z')],
    ['2024-01-15T01:30:15,75Z', at('2024-01-15T01:30:15Z')],
    ['2016-12-31T23:59:60Z', at('2016-12-31T23:59:59Z')],
    ['2017-01-01T05:29:60.5+05:30', at('2016-12-31T23:59:59Z')],
    ['2015-06-30T23:59:60Z', at('2015-06-30T23:59:59Z')],
  ])('may have any form of ISO 8601 with a zone: %s', (text, seconds) => {
    expect(parseIsoTime(text)).toBe(seconds);
  });

  it.each([
    '2016-12-31T23:58:60Z',
    '2016-12-31T23:59:60+01:00',
    '2016-12-30T23:59:60Z',
    '2016-03-31T23:59:60Z',
    '2016-12-31T23:59:61Z',
    '2024-01-15T01:30:00',
    '2024-01-15 01:30:00Z',
    '2024-01-15',
    '20240115T013000Z',
    '2024-01-15T24:00Z',
    // Half a minute, not half a second.
    '2024-01-15T01:30.5Z',
    '2024-02-30T00:00z',
    '2024-01-15T01:30:00+2',
    '2024-01-15T01:30:00+15',
    'Dec 15, 2025',
  ])('is none where no such time or zone is named: %s', (text) => {
    expect(parseIsoTime(text)).toBeUndefined();
  });
});
