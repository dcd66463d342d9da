import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasOldest, NEEDS_OLDEST, OLDEST } from '../../bench/servers/postgres/binaries.ts';
import { fillStore, openQuietly } from '../support/filled-store.ts';
import { runHere, temporaryFolder } from '../support/import-cli.ts';
import { queryDatabase } from '../support/postgres/database.ts';
import { storePlaces } from '../support/store-places.ts';

const GUIDE = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8');
const places = storePlaces();

it("A backup leaves a Postgres to its own programs, and finishes what they can't", async () => {
  const url = await places.newStore('postgres');
  await fillStore(url);
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
    const contents: Record<string, string> = {};
    for (const { name } of tables) {
      const [row] = await queryDatabase(
        url,
        `SELECT coalesce(string_agg((to_jsonb(t) - 'pause' - 'paused_at')::text, E'\n' ORDER BY t::text), '') AS all FROM fathom.${name} t`,
      );
      contents[String(name)] = String(row?.all);
    }
    return contents;
  }

  it('back up and restore as the guide says, over the database and where there is none', async () => {
    const url = await old.newStore('postgres');
    await fillStore(url);
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
