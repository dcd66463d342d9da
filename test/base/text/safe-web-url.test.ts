import fc from 'fast-check';
import { expect, it } from 'vitest';
import { safeWebUrl } from '#base/text/markup';
import { anyString } from '../../support/any-string.ts';

/** https://www.rfc-editor.org/rfc/rfc3986#appendix-A */
const PART = "(?:[\\w\\-.~!$&'()*+,;=:@/?]|%[0-9a-fA-F]{2})*";
const HOST = "(?:[\\w\\-.~!$&'()*+,;=]|%[0-9a-fA-F]{2})+|\\[[0-9a-f:.]+\\]";
const RFC3986 = new RegExp(`^https?://(?:${HOST})(?::\\d+)?/${PART}(?:#${PART})?$`);

it.each([
  'http:`',
  'https://a{b}.example/',
  'https://"example/',
  'ftp://example.org',
  'example.org',
])('safeWebUrl refuses %s', (text) => {
  expect(safeWebUrl(text)).toBeUndefined();
});

it.each([
  ['https://example.org', 'https://example.org/'],
  ['http://[::1]:8080/a b?c={d}#e#f', 'http://[::1]:8080/a%20b?c=%7Bd%7D#e%23f'],
  ['https://exämple.org/ü', 'https://xn--exmple-cua.org/%C3%BC'],
])('safeWebUrl passes on %s', (text, url) => {
  expect(safeWebUrl(text)).toBe(url);
});

it('safeWebUrl returns nothing that RFC 3986 does not allow', () => {
  const text = anyString({ maxLength: 20 });
  fc.assert(
    fc.property(
      fc.constantFrom('http:', 'https://', 'https://example.org/'),
      text,
      (head, tail) => {
        const url = safeWebUrl(head + tail);
        expect(url ?? 'https://example.org/').toMatch(RFC3986);
      },
    ),
    { numRuns: 1_000 },
  );
});
