import { expect, it } from 'vitest';
import { parseHttpDate } from '#base/json-http/http-date';

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

it('a header without a date has none', () => {
  expect(parseHttpDate('soon')).toBeNaN();
});
