import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchDisk } from '#storage/sqlite/open';
import { silentLog } from '../support/log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a disk that takes no writes is named once in the log, until it takes them again', () => {
  const [error, info] = [vi.fn(), vi.fn()];
  let code: string | undefined;
  const obstacle = () => (code === undefined ? undefined : { code, reason: `as of ${code}` });
  const disk = watchDisk('/nowhere/fathom.db', { ...silentLog, error, info }, obstacle);
  const after = (next: string | undefined) => {
    code = next;
    vi.advanceTimersByTime(60_000);
    return disk.fault;
  };
  expect(after('EMFILE')).toBeUndefined();
  expect(after('ENOSPC')).toEqual({ is: 'full', isFailing: false });
  expect(after('ENOSPC')).toEqual({ is: 'full', isFailing: false });
  expect(after('EROFS')).toEqual({ is: 'read-only', isFailing: true });
  expect(after(undefined)).toBeUndefined();
  const reasons = error.mock.calls.map(([{ reason }]) => reason);
  expect(reasons).toEqual(['as of ENOSPC', 'as of EROFS']);
  expect(info).toHaveBeenCalledTimes(1);
  disk.end();
  expect(after('EIO')).toBeUndefined();
});
