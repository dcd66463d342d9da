import { expect, it } from 'vitest';
import { RetryableError } from '#core/errors';
import { RefusalLog } from '#runtime/refusal-log';
import { silentLog } from '../support/log.ts';

it('logs one refusal a minute, and how many there were since', () => {
  const lines: object[] = [];
  let now = 0;
  const refusals = new RefusalLog(
    { ...silentLog, warn: (fields) => lines.push(fields) },
    () => now,
  );
  const refuse = (count: number) => {
    for (let i = 0; i < count; i++) refusals.add(new RetryableError('too many'), '/card/:file');
  };
  const line = { reason: 'too many', path: '/card/:file' };
  refuse(1_000);
  expect(lines).toEqual([line]);
  now = 59_999;
  refuse(1);
  expect(lines).toHaveLength(1);
  now = 60_000;
  refuse(5);
  expect(lines).toEqual([line, { ...line, refusedSince: 1_000 }]);
  now = 120_000;
  refuse(1);
  expect(lines[2]).toEqual({ ...line, refusedSince: 4 });
});
