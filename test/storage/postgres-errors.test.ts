import { expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { outOfFiles } from '#base/process';
import { isConnectionLost, translateError } from '#storage/postgres/errors';

it.each(['EACCES', 'EPERM'])(
  'A connection that this user may not make (%s) is an outage, and isn’t said to be a server that’s down',
  (code) => {
    const error = Object.assign(new Error(`connect ${code} /run/postgresql/.s.PGSQL.5432`), {
      ...{ code, syscall: 'connect' },
    });
    expect(isConnectionLost(error)).toBe(true);
    const told = translateError(error, 'Postgres');
    expect(told).toBeInstanceOf(RetryableError);
    expect(String(told)).toContain(code);
    expect(String(told)).not.toContain('running');
  },
);

it.each(['EMFILE', 'ENFILE'])(
  'A server that can’t be looked for, as no more files can be opened (%s), is an outage of this machine’s',
  (code) => {
    const error = Object.assign(new Error(`getaddrinfo ${code}`), { code, syscall: 'getaddrinfo' });
    expect(isConnectionLost(error)).toBe(true);
    const told = translateError(error, 'Postgres');
    expect(told).toBeInstanceOf(RetryableError);
    expect(String(told)).toContain(outOfFiles(code));
  },
);
