import { expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
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
