import { expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { type LogFields, ProblemLog, SharedProblemLog } from '#base/log';
import { silentLog } from '../support/log.ts';

/** What a log says of an error that comes again and again. */
function saidOf(error: Error): [string, LogFields][] {
  const lines: [string, LogFields][] = [];
  const trouble = new ProblemLog({
    ...silentLog,
    warn: (fields) => lines.push(['warn', fields]),
    error: (fields) => lines.push(['error', fields]),
  });
  for (let i = 0; i < 3; i += 1) trouble.failed(error, 'waiting');
  return lines;
}

it('Work that retries logs what it waits for once, whoever has to mend it', () => {
  expect(saidOf(new RetryableError('away'))).toEqual([['warn', { reason: 'away' }]]);
  const refused = new UserError('wrong-configuration', 'The password is wrong.');
  expect(saidOf(refused)).toEqual([['error', { reason: 'The password is wrong.' }]]);
});

it('Work that retries logs a bug each time', () => {
  const bug = new Error('a bug');
  expect(saidOf(bug)).toEqual(Array(3).fill(['error', { err: bug }]));
});

it('Jobs that share a log are over an outage once all of them are', () => {
  const said: LogFields[] = [];
  const trouble = new SharedProblemLog({ ...silentLog, warn: (fields) => said.push(fields) });
  const fails = () => trouble.failed('writes', new RetryableError('full'), 'waiting');
  for (let i = 0; i < 3; i += 1) {
    fails();
    trouble.resolve('reads');
  }
  expect(said).toEqual([{ reason: 'full' }]);
  trouble.resolve('writes');
  fails();
  expect(said).toHaveLength(2);
});
