import { afterEach, expect, it } from 'vitest';
import { isOutage } from '#base/errors';
import { type Database, openDatabase } from '#storage/postgres/database';
import { silentLog } from '../support/log.ts';
import { queryDatabase, useDatabase } from '../support/postgres/database.ts';

/* What a server answers while somebody works on the database below a running service. */

const server = useDatabase();
let db: Database | undefined;
afterEach(() => db?.close());

/** Runs a query on the server's own database. */
async function maintain(sql: (name: string) => string): Promise<void> {
  const own = new URL(server.url);
  const name = own.pathname.slice(1);
  own.pathname = '/postgres';
  await queryDatabase(own.href, sql(name));
}

const ask = 'INSERT INTO replica SELECT * FROM replica';

it.each([
  [
    'takes no connections',
    'accepting connections',
    () => maintain((name) => `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`),
  ],
  [
    'was made read-only',
    'read-only',
    () => maintain((name) => `ALTER DATABASE ${name} SET default_transaction_read_only = on`),
  ],
  ['lacks its schema', 'replica', () => server.query('ALTER SCHEMA fathom RENAME TO aside')],
  ['is gone', 'exist', () => maintain((name) => `DROP DATABASE ${name} WITH (FORCE)`)],
])('A database that %s is an outage that says so, and no bug', async (_, words, happen) => {
  await happen();
  db = openDatabase(server.url, silentLog);
  const error = await db.run(ask).catch((each: unknown) => each);
  expect(isOutage(error), String(error)).toBe(true);
  expect(String(error)).toContain(words);
});
