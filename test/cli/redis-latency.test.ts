import { expect, it } from 'vitest';
import { checkLatency } from '#cli/doctor/services';

it('fathom doctor says of a Redis beyond what a replica waits that it is never used', () => {
  const textOf = (milliseconds: number) => checkLatency(milliseconds, 50);
  expect(textOf(0.8).level).toBe('ok');
  expect(textOf(20).level).toBe('warn');
  expect(textOf(20).text).toContain('added to every request');
  expect(textOf(80).level).toBe('warn');
  expect(textOf(80).text).toContain('waits 50 ms at most');
  expect(textOf(80).text).not.toContain('added to every request');
});
