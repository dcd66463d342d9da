import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { count } from '#cli/format';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { migrate } from '#storage/postgres/migrate';
import { COUNTED } from '#storage/tables/contents';
import { findStore, noteOnKilled } from '#storage/transfer';
import { hasOldest, NEEDS_OLDEST, OLDEST } from '../../bench/servers/postgres/binaries.ts';
import { TestLog } from '../support/api.ts';
import { openQuietly } from '../support/filled-store.ts';
import { runHere, temporaryFolder } from '../support/import-cli.ts';
import { patienceMs } from '../support/patience.ts';
import { queryDatabase } from '../support/postgres/database.ts';
import { storePlaces } from '../support/store-places.ts';

const GUIDE = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8');
const places = storePlaces();

it("A backup leaves a Postgres to its own programs, and finishes what they can't", async () => {
  const url = await places.newFilledStore('postgres');
  const env = { DATABASE_URL: url };
  const backup = await runHere(['backup', 'b.db'], env);
  expect(backup).toMatchObject({ code: 2, stdout: '' });
  expect(backup.stderr).toContain('pg_dump --format=custom --no-owner --schema=fathom');
  const restore = await runHere(['restore', 'b.db'], env);
  expect(restore).toMatchObject({ code: 2, stdout: '' });
  expect(restore.stderr).toContain('pg_restore --no-owner --single-transaction');
  // The password is for nobody's terminal.
  expect(backup.stderr + restore.stderr).not.toContain(url);

  const store = await openQuietly(url);
  const webhooks = await store.webhooks.list();
  const active = webhooks.filter(({ pause }) => pause === undefined).length;
  expect(active).toBeGreaterThan(0);
  const done = await runHere(['restore'], env);
  expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('paused') });
  // As that of a SQLite file says: without rules' events, most of a database would be missing.
  for (const [name, table] of COUNTED) {
    const [row] = await queryDatabase(url, `SELECT count(*)::int AS n FROM fathom.${table}`);
    expect(done.stdout).toMatch(new RegExp(`^${name} +${count(Number(row?.n))}$`, 'm'));
  }
  const after = await store.webhooks.list();
  expect(after.every(({ pause }) => pause !== undefined)).toBe(true);
  await store.close();
});

it('What has no data yet is not taken for a restored Postgres, and stays as it is', async () => {
  const url = await places.newPlace('postgres');
  const env = { DATABASE_URL: url };
  const { code, stderr } = await runHere(['restore'], env);
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('pg_restore'),
  });
  expect(await queryDatabase(url, `SELECT to_regnamespace('fathom') AS it`)).toEqual([
    { it: null },
  ]);
});

it('A restored Postgres that a replica uses, or used until it was killed, is refused as it is, with how long to wait', async () => {
  const url = await places.newFilledStore('postgres');
  // As a dump of an older version has it.
  await queryDatabase(
    url,
    'DELETE FROM fathom.schema_version WHERE version = (SELECT max(version) FROM fathom.schema_version)',
  );
  const versions = () => queryDatabase(url, 'SELECT version FROM fathom.schema_version ORDER BY 1');
  const before = await versions();
  await queryDatabase(
    url,
    `INSERT INTO fathom.replica (id, steady_since, seen_at) VALUES ('killed', now(), now())`,
  );
  const { code, stderr } = await runHere(['restore'], { DATABASE_URL: url });
  const note = noteOnKilled(await findStore(url));
  expect(note).not.toBe('');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(note) });
  expect(await versions()).toEqual(before);
});

it('No empty Postgres is made in the place of one that a failed restore has put aside', async () => {
  const url = await places.newFilledStore('postgres');
  const doctor = () => runHere(['doctor'], { DATABASE_URL: url, PORT: '0', METRICS_PORT: '0' });
  await queryDatabase(url, 'ALTER SCHEMA fathom RENAME TO fathom_before');
  // A supervisor starts it again and again.
  for (let starts = 0; starts < 2; starts += 1) {
    await expect(openQuietly(url)).rejects.toMatchObject({ code: 'wrong-configuration' });
  }
  expect(await doctor()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^fail +schema .*fathom_before/m),
  });
  expect(await queryDatabase(url, `SELECT to_regnamespace('fathom') AS it`)).toEqual([
    { it: null },
  ]);

  await queryDatabase(url, 'ALTER SCHEMA fathom_before RENAME TO fathom');
  const store = await openQuietly(url);
  expect((await (await store.openSource()).reading().stats()).totalUsers).toBeGreaterThan(0);
  await store.close();
});

it('A replica that waits to upgrade Postgres makes none in the place of one that is put aside meanwhile', async () => {
  const url = await places.newStore('postgres');
  await (await openQuietly(url)).close();
  await queryDatabase(
    url,
    'DELETE FROM fathom.schema_version WHERE version = (SELECT max(version) FROM fathom.schema_version)',
  );
  const other = new pg.Client(url);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`SELECT pg_advisory_lock(hashtextextended('fathom migration', 0))`);
  const log = new TestLog();
  const refused = expect(migrate(url, log)).rejects.toMatchObject({ code: 'wrong-configuration' });
  await vi.waitFor(() => expect(log.lines).not.toEqual([]), { timeout: patienceMs() });
  await queryDatabase(url, 'ALTER SCHEMA fathom RENAME TO fathom_before');
  await other.query('SELECT pg_advisory_unlock_all()');
  await refused;
  expect(await queryDatabase(url, `SELECT to_regnamespace('fathom') AS it`)).toEqual([
    { it: null },
  ]);
});

it('What a restore of Postgres has put aside is named at each start and by doctor', async () => {
  const url = await places.newStore('postgres');
  await (await openQuietly(url)).close();
  const log = new TestLog();
  const started = async () => {
    const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log });
    store.serve();
    return store;
  };
  const warnings = () => log.lines.filter(({ level }) => level === 'warn');
  const stateOfSchema = async () => {
    const { stdout } = await runHere(['doctor'], {
      ...{ DATABASE_URL: url, PORT: '0', METRICS_PORT: '0' },
    });
    return /^(\w+) +schema +(.*)$/m.exec(stdout)?.slice(1);
  };
  expect(await stateOfSchema()).toEqual(['ok', expect.not.stringContaining('fathom_before')]);
  await queryDatabase(
    url,
    'CREATE SCHEMA fathom_before; CREATE TABLE fathom_before.schema_version AS TABLE fathom.schema_version',
  );
  const store = await started();
  await vi.waitFor(() => expect(warnings()).toHaveLength(1), { timeout: patienceMs() });
  expect(warnings()[0]?.message).toContain('fathom_before');
  await store.close();
  expect(await stateOfSchema()).toEqual(['warn', expect.stringContaining('fathom_before')]);
});

const run = promisify(execFile);
/** Of the guide's table, in a shell as it's typed. */
const commandOf = (start: string) => new RegExp(`\`(${start} [^\`]+)\``).exec(GUIDE)?.[1] ?? '';

describe.runIf(hasOldest)(`Postgres' own programs${NEEDS_OLDEST}`, () => {
  const old = storePlaces({ bin: OLDEST });

  /** What each table holds, but for the pauses that a restore adds. */
  async function contentsOf(url: string) {
    const tables = await queryDatabase(
      url,
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'fathom' ORDER BY 1`,
    );
    const each = tables.map(
      ({ name }) =>
        `SELECT '${name}' AS name, coalesce(string_agg((to_jsonb(t) - 'pause' - 'paused_at')::text, E'\n' ORDER BY t::text), '') AS all FROM fathom.${name} t`,
    );
    const rows = await queryDatabase(url, each.join(' UNION ALL '));
    return Object.fromEntries(rows.map(({ name, all }) => [String(name), String(all)]));
  }

  it('back up and restore as the guide says, over the database and where there is none', async () => {
    const url = await old.newFilledStore('postgres');
    const cwd = temporaryFolder();
    const type = async (command: string, to = url) => {
      expect(command).not.toBe('');
      const env = { PATH: `${OLDEST}:${process.env.PATH}`, DATABASE_URL: to };
      await run('sh', ['-c', command.replaceAll('FILE', 'kept.dump')], { cwd, env });
    };
    const before = await contentsOf(url);
    expect(before.activity).not.toBe('');
    await type(commandOf('pg_dump'));
    await queryDatabase(url, 'CREATE TABLE fathom.of_a_newer_version AS SELECT 1 AS x');
    await queryDatabase(url, 'UPDATE fathom.wallet SET points = points + 1');
    await queryDatabase(url, 'CREATE TABLE public.theirs AS SELECT 1 AS x');
    await type(commandOf('psql'));
    // Nobody takes it for restored if pg_restore failed, and no empty one is made in its place.
    const early = await runHere(['restore'], { DATABASE_URL: url });
    expect(early).toMatchObject({ code: 2, stderr: expect.stringContaining('fathom_before') });
    await type(commandOf('pg_restore'));
    expect(await contentsOf(url)).toEqual(before);
    expect(await queryDatabase(url, 'SELECT x FROM public.theirs')).toEqual([{ x: 1 }]);
    await type(commandOf('psql [^`]+DROP'));
    const elsewhere = await old.newPlace('postgres');
    await type(commandOf('pg_restore'), elsewhere);
    expect(await contentsOf(elsewhere)).toEqual(before);
    const done = await runHere(['restore'], { DATABASE_URL: elsewhere });
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('paused') });
    expect(done.stdout).toMatch(/last change +\d{4}-/);
  });
});
