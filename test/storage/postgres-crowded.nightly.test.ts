import { expect, it, onTestFinished } from 'vitest';
import { RetryableError } from '#base/errors';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { type Database, openDatabase, type PoolOptions } from '#storage/postgres/database';
import { activityOf, batchOf, ETH_A, writeTo } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { useDatabase } from '../support/postgres/database.ts';
import { PATIENT } from '../support/postgres/operations.ts';

/** A server whose connections are all taken by others. */

const db = useDatabase('new');

let guests = 0;

/** A separate user, so that the test controls what is left for it. */
async function guest() {
  guests += 1;
  const name = `guest${guests}`;
  const database = new URL(db.url).pathname.slice(1);
  await db.query(`CREATE ROLE ${name} LOGIN; GRANT CREATE ON DATABASE ${database} TO ${name}`);
  return {
    url: db.url.replace('fathom@', `${name}@`),
    /** Limits its connections; existing ones stay. -1 means no limit. */
    allow: (count: number) => db.query(`ALTER ROLE ${name} CONNECTION LIMIT ${count}`),
  };
}

function open(url: string, patience: PoolOptions): Database {
  const opened = openDatabase(url, silentLog, patience);
  onTestFinished(() => opened.close());
  return opened;
}

const ask = (database: Database) => database.rows('SELECT 1 AS one');

it('A pool of connections answers parallel queries over the connection it holds', async () => {
  const { url, allow } = await guest();
  const database = open(url, PATIENT);
  await ask(database);
  await allow(0);
  const answers = await Promise.all([
    ...Array.from({ length: 20 }, () => ask(database)),
    database.transaction((queries) => queries.rows('SELECT 1 AS one')),
    database.openSnapshot('SELECT 1 AS one').then(async ({ snapshot, first }) => {
      await snapshot.end();
      return first;
    }),
  ]);
  expect(answers).toEqual(answers.map(() => [{ one: 1 }]));
});

it('A pool of connections holds no more than it may', async () => {
  const { url } = await guest();
  const database = open(url, { ...PATIENT, connections: 2 });
  const [held, other] = await Promise.all([
    database.openSnapshot('SELECT pg_backend_pid() AS process'),
    database.openSnapshot('SELECT pg_backend_pid() AS process'),
  ]);
  const queued = database.rows('SELECT pg_backend_pid() AS process');
  await held.snapshot.end();
  expect(await queued).toEqual(held.first);
  await other.snapshot.end();
});

it('A pool of connections says that there is none left if it holds none, or none is freed in time', async () => {
  const { url, allow } = await guest();
  let away = 0;
  const database = open(url, { ...PATIENT, connectMs: 2_000, onAway: () => (away += 1) });
  await allow(0);
  const none = expect.objectContaining({
    message: expect.stringContaining('is out of connections'),
  });
  await expect(ask(database)).rejects.toEqual(none);

  await allow(-1);
  const { snapshot } = await database.openSnapshot('SELECT 1 AS one');
  await allow(0);
  const refused = ask(database);
  await expect(refused).rejects.toBeInstanceOf(RetryableError);
  await expect(refused).rejects.toEqual(none);
  // It has answered, so what is shown isn't stale.
  expect(away).toBe(0);
  await snapshot.end();
  expect(await ask(database)).toEqual([{ one: 1 }]);
});

it('A pool of connections opens more again once the server has some', async () => {
  const { url, allow } = await guest();
  const database = open(url, PATIENT);
  await ask(database);
  await allow(0);
  await Promise.all([ask(database), ask(database)]);
  await allow(-1);
  const held = [await database.openSnapshot('SELECT 1 AS one')];
  // Waits for the one above until the pool may grow: both are open at the same time.
  held.push(await database.openSnapshot('SELECT 1 AS one'));
  for (const { snapshot } of held) await snapshot.end();
});

it('Postgres returns activities of wallets to all concurrent callers', async () => {
  const { url, allow } = await guest();
  const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  onTestFinished(() => store.close());
  const source = await store.openSource();
  await writeTo(store, batchOf({ activities: [activityOf(ETH_A, 'a')] }));
  await store.refresh();
  await allow(0);
  const lists = await Promise.all(
    Array.from({ length: 30 }, () => source.reading().activity(ETH_A, 10)),
  );
  expect(lists.map((list) => list?.total)).toEqual(lists.map(() => 1));
});
