import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { systemCodeOf } from '#base/process/system-code';
import { diskFault } from '#cli/new-file';

it('A quota that is used up, for which Node has no code, is a disk that is full', () => {
  const errno = -constants.errno.EDQUOT;
  const words = `Unknown system error ${errno}`;
  const error = Object.assign(new Error(`${words}: ${words}, write`), { errno, code: words });
  expect(systemCodeOf(error)).toBe('EDQUOT');
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  expect(diskFault('a.db', error)).toBe(diskFault('a.db', full));
});
