import { expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { RefusalLog } from '#base/process/refusal-log';
import { silentLog } from '../support/log.ts';

it('A log logs one refusal a minute, and how many there were since', () => {
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

it('A log logs what only the operator can end once a minute too, whatever else is refused', () => {
  const lines: object[] = [];
  let now = 0;
  const log = (level: string) => (fields: object) => lines.push({ level, ...fields });
  const refusals = new RefusalLog(
    { ...silentLog, warn: log('warn'), error: log('error') },
    () => now,
  );
  const fault = new UserError('wrong-configuration', 'NODE: not a URL');
  const refuse = () => {
    refusals.add(new RetryableError('too many'), '/a');
    for (let i = 0; i < 3; i++) refusals.add(fault, '/b', 'error');
  };
  const warned = { level: 'warn', reason: 'too many', path: '/a' };
  const failed = { level: 'error', reason: fault.message, path: '/b' };
  refuse();
  expect(lines).toEqual([warned, failed]);
  now = 60_000;
  refuse();
  expect(lines.slice(2)).toEqual([warned, { ...failed, refusedSince: 2 }]);
});
