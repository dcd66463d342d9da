import { expect, it, vi } from 'vitest';
import { parseHttpDate } from '#base/time/http-date';

it.each([
  'Sun, 06 Nov 1994 08:49:37 GMT',
  'Sunday, 06-Nov-94 08:49:37 GMT',
  'Sun Nov  6 08:49:37 1994',
])('a date in a header is UTC in each of its three forms, in any time zone: %s', (text) => {
  const zone = process.env.TZ;
  try {
    for (const each of ['UTC', 'Asia/Kolkata', 'America/St_Johns']) {
      process.env.TZ = each;
      expect(parseHttpDate(text)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
    }
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

/* RFC 9110, section 5.6.7: two digits that would be over 50 years ahead are of the past. */
it.each([
  ['2026-11-28', '94', 1994],
  ['2026-11-28', '26', 2026],
  ['2026-11-28', '60', 2060],
  ['2026-11-28', '76', 2076],
  ['2026-11-28', '77', 1977],
  ['2026-01-01', '76', 1976],
  ['2060-01-01', '94', 2094],
  ['2060-01-01', '09', 2109],
  ['2060-01-01', '10', 2010],
  ['1999-06-01', '01', 2001],
])('in %s, the year %s of RFC 850 is %i', (today, digits, year) => {
  vi.setSystemTime(`${today}T12:00:00Z`);
  try {
    expect(parseHttpDate(`Sunday, 28-Nov-${digits} 08:49:37 GMT`)).toBe(
      Date.UTC(year, 10, 28, 8, 49, 37),
    );
  } finally {
    vi.useRealTimers();
  }
});

it.each([
  ['Sun, 6 Nov 1994 08:49:37 GMT', 37],
  ['Sun, 06 Nov 1994 08:49:37 UTC', 37],
  ['Sun, 06 Nov 1994 08:49:37 +0000', 37],
  // The grammar has room for a leap second.
  ['Sun, 06 Nov 1994 08:49:60 GMT', 60],
])('a date as servers write it is read: %s', (text, seconds) => {
  expect(parseHttpDate(text)).toBe(Date.UTC(1994, 10, 6, 8, 49, seconds));
});

it.each([
  '',
  'soon',
  // All of these are dates for JavaScript.
  '1',
  'foo 1',
  '1994',
  '1994-11-06T08:49:37Z',
  '06 Nov 1994 08:49:37 GMT',
  'Sun, 06 Nov 1994 08:49:37',
  'Sun, 06 Nov 1994 08:49:37 PST',
  'Sun, 06 Nov 1994 08:49:37 GMT+5',
  // None of these is there.
  'Sun, 31 Feb 1994 08:49:37 GMT',
  'Sun, 00 Nov 1994 08:49:37 GMT',
  'Sun, 06 Nov 1994 24:00:00 GMT',
  'Sun, 06 Nov 1994 08:60:37 GMT',
  'Sun, 06 Nov 1994 08:49:61 GMT',
  'Sun, 06 Foo 1994 08:49:37 GMT',
  'Sun, 06 Nov 94 08:49:37 GMT',
])('a header with "%s" has no date', (text) => {
  expect(parseHttpDate(text)).toBeNaN();
});
