import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { UserError } from '#base/errors';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { migrate } from '#storage/postgres/migrate';
import { MIGRATIONS, type Migration, newestVersion } from '#storage/tables/migrations';
import { finished, startCli, temporaryFolder } from '../support/import-cli.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';
import { useDatabase } from '../support/postgres/database.ts';
import { refreshed } from '../support/refreshed.ts';
import { startService } from '../support/service.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const db = useDatabase('new');

async function open(url = db.url): Promise<void> {
  const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  await store.close();
}

const versions = async () =>
  (await db.query('SELECT version FROM fathom.schema_version ORDER BY version')).map(
    (row) => row.version,
  );
const NEWEST = newestVersion(MIGRATIONS.postgres);
const ALL = MIGRATIONS.postgres.steps.map((_, index) => MIGRATIONS.postgres.baseline + index);
const planWith = (...more: Migration[]) => ({
  ...MIGRATIONS.postgres,
  steps: [...MIGRATIONS.postgres.steps, ...more] as const,
});

it('Programs that start at once migrate once', async () => {
  await Promise.all([open(), open(), open(), open()]);
  expect(await versions()).toEqual(ALL);
});

it('a start in the midst of a restore waits for its schema and uses it', async () => {
  await open();
  await db.query('ALTER SCHEMA fathom RENAME TO dumped');
  const restore = new pg.Client(db.url);
  await restore.connect();
  onTestFinished(() => restore.end());
  await restore.query('BEGIN; ALTER SCHEMA dumped RENAME TO fathom');
  const started = open();
  const waits = `SELECT 1 FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query LIKE '%CREATE SCHEMA%'`;
  await expect.poll(() => db.query(waits), { interval: 10, timeout: patienceMs() }).toHaveLength(1);
  await restore.query('COMMIT');
  await started;
  expect(await versions()).toEqual(ALL);
});

it('a failed migration leaves the version before it, whole', async () => {
  const step = (name: string, sql: string): Migration => ({ name, sql, worksFrom: 1 });
  const good = step('good', 'CREATE TABLE one (x integer)');
  const bad = step('bad', 'CREATE TABLE two (x integer); CREATE TABLE one (x integer)');
  await expect(migrate(db.url, silentLog, { baseline: 1, steps: [good, bad] })).rejects.toThrow();
  expect(await versions()).toEqual([1]);
  expect(await db.query(`SELECT to_regclass('fathom.two') AS two`)).toEqual([{ two: null }]);
  await migrate(db.url, silentLog, {
    baseline: 1,
    steps: [good, step('mended', 'CREATE TABLE two (x integer)')],
  });
  expect(await versions()).toEqual([1, 2]);
});

it('an interrupted migration is done by the next program', async () => {
  const slow: Migration = {
    name: 'slow',
    sql: 'CREATE TABLE slow (x integer); SELECT pg_sleep(30)',
    worksFrom: 1,
  };
  const cut = migrate(db.url, silentLog, { baseline: 1, steps: [slow] }).catch(
    (error: unknown) => error,
  );
  const running = `FROM pg_stat_activity WHERE datname = current_database()
    AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()`;
  await expect.poll(async () => (await db.query(`SELECT pid ${running}`)).length).toBe(1);
  // Another program waits for it meanwhile.
  const next = open();
  await db.query(`SELECT pg_terminate_backend(pid) ${running}`);
  expect(await cut).toBeInstanceOf(Error);
  await next;
  expect(await versions()).toEqual(ALL);
  expect(await db.query(`SELECT to_regclass('fathom.slow') AS slow`)).toEqual([{ slow: null }]);
});

it('a migration whose program is gone is given up by the server, so that the next program does it', async () => {
  const forever = { name: 'slow', sql: 'SELECT pg_sleep(86400)', worksFrom: 1 };
  const url = new URL(db.url);
  const proxy = await startTcpProxy(Number(url.port));
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  const cut = migrate(url.href, silentLog, { baseline: 1, steps: [forever] }).catch(
    (error: unknown) => error,
  );
  const running = `SELECT FROM pg_stat_activity WHERE datname = current_database()
    AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()`;
  await expect.poll(async () => (await db.query(running)).length).toBe(1);
  await proxy.close();
  expect(await cut).toBeInstanceOf(Error);
  await open();
  expect(await versions()).toEqual(ALL);
});

it('a replica killed during a migration is replaced by one that does it', async () => {
  const holder = new pg.Client({ connectionString: db.url });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('BEGIN; CREATE SCHEMA fathom');
  const env = { DATABASE_URL: db.url, PORT: '0', METRICS_PORT: '0' };
  const first = startCli(['serve'], { cwd: temporaryFolder(), env });
  const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database()
    AND wait_event_type = 'Lock' AND query LIKE '%CREATE SCHEMA%'`;
  await expect.poll(async () => (await db.query(waits)).length).toBe(1);
  first.kill('SIGKILL');
  expect(await finished(first)).toMatchObject({ code: undefined });
  const second = startService(env);
  // It waits for the schema's name, as the first one did.
  await holder.query('ROLLBACK');
  const service = await second;
  onTestFinished(async () => void (await service.stop()));
  expect(await versions()).toEqual(ALL);
  expect(await (await fetch(`${service.url}/readyz`)).json()).toMatchObject({ status: 'ready' });
  expect(await service.stop()).toBe(0);
});

it('a newer database that this program works with is opened and left as it is', async () => {
  await open();
  const newer = { name: 'newer', sql: 'CREATE TABLE more (x integer)', worksFrom: NEWEST };
  await migrate(db.url, silentLog, planWith(newer));
  await open();
  expect(await versions()).toEqual([...ALL, NEWEST + 1]);
});

it("a newer database that this program doesn't work with is rejected", async () => {
  const newer = {
    name: 'newer',
    sql: 'ALTER TABLE badge ADD x integer',
    worksFrom: NEWEST + 1,
  };
  await migrate(db.url, silentLog, planWith(newer));
  const error = await open().catch((each: unknown) => each);
  expect(error).toBeInstanceOf(UserError);
  expect((error as Error).message).toMatch(/newer Fathom.*left it unchanged/);
});

it('a running program continues while a newer one migrates', async () => {
  const store = await openStore(db.url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  const source = await store.openSource();
  const newer = { name: 'newer', sql: 'ALTER TABLE badge ADD x integer', worksFrom: 1 };
  await migrate(db.url, silentLog, planWith(newer));
  await refreshed(store);
  expect((await source.reading().stats()).totalUsers).toBe(0);
  await store.close();
});

it('a migration that waits for a dump keeps no reader waiting', async () => {
  await open();
  const [dump, reader] = [0, 1].map(() => new pg.Client({ connectionString: db.url }));
  if (dump === undefined || reader === undefined) throw new Error('no connection');
  for (const each of [dump, reader]) {
    await each.connect();
    onTestFinished(() => each.end());
  }
  await dump.query('BEGIN; LOCK TABLE fathom.gate_rule IN ACCESS SHARE MODE');
  const newer = { name: 'newer', sql: 'ALTER TABLE gate_rule ADD x integer', worksFrom: 1 };
  const said: string[] = [];
  const log = { ...silentLog, warn: (_: unknown, text: string) => void said.push(text) };
  const migrated = migrate(db.url, log, planWith(newer));
  // It has waited for the table, and gone out of the way.
  await expect.poll(() => said, { timeout: patienceMs() }).toHaveLength(1);
  expect(said[0]).toContain('such as a dump');
  await reader.query('SELECT count(*) FROM fathom.gate_rule');
  expect(await versions()).toEqual(ALL);
  await dump.query('COMMIT');
  await migrated;
  expect(await versions()).toEqual([...ALL, NEWEST + 1]);
});

it("another program's schema is rejected and left alone", async () => {
  await db.query('CREATE SCHEMA fathom; CREATE TABLE fathom.theirs (x integer)');
  const error = await open().catch((each: unknown) => each);
  expect(error).toBeInstanceOf(UserError);
  expect((error as Error).message).toMatch(/another program.*left it unchanged/);
  const tables = await db.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'fathom'`);
  expect(tables).toEqual([{ tablename: 'theirs' }]);
});

it('a database in another encoding is rejected with what to do', async () => {
  await db.query(`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
  const other = new URL(db.url);
  other.pathname = '/latin';
  const error = await open(other.href).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(UserError);
  expect((error as Error).message).toMatch(/LATIN1.*UTF8/);
});

it.each([
  [
    'a database that is not there',
    (at: URL) => ({ ...at, href: at.href.replace(/\/[^/]*$/, '/nowhere') }),
  ],
  ['no address', () => ({ href: 'postgres://%zz:y@' })],
])('%s is a mistake in the configuration', async (_, change) => {
  const { href } = change(new URL(db.url));
  await expect(open(href)).rejects.toThrow(UserError);
});

it('The store knows how large the tables are once it serves', async () => {
  const store = await openStore(db.url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  onTestFinished(() => store.close());
  expect(store.figures().bytes).toBe(0);
  store.serve();
  await expect.poll(() => store.figures().bytes).toBeGreaterThan(0);
});
