import { expect, it } from 'vitest';
import { readResponseHints } from '#upstream/response-hints';

const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT';
const AT = Date.UTC(1994, 10, 6, 8, 49, 37) / 1000;

it.each([
  ['Last-Modified of another server', { 'last-modified': DATE }, AT],
  ['Fathom-As-Of, as Fathom writes it', { 'fathom-as-of': '1994-11-06T08:49:37Z' }, AT],
  ['neither, but when it was sent and its age', { date: DATE, age: '7' }, AT - 7],
  ['a Fathom without data', { date: DATE, 'reputation-status': 'fresh' }, undefined],
])('the time of an answer’s data is known by %s', (_, headers, at) => {
  expect(readResponseHints(headers).dataTime).toBe(at);
});

it.each([
  ['120', 120_000],
  ['9'.repeat(20), 86_400_000],
  ['soon', undefined],
])('A Retry-After of %s is believed up to a day', (value, pause) => {
  expect(readResponseHints({ 'retry-after': value }).retryAfterMs).toBe(pause);
});
