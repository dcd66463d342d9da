import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MOVED_TABLES } from '#storage/transfer/endpoint';
import { answersOf, openQuietly } from '../support/filled-store.ts';
import { auditRow, HOME } from '../support/gate-records.ts';
import { runCli, runHere, temporaryFolder, workplace } from '../support/import-cli.ts';
import { dump, faultsOf } from '../support/import-dump.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';
import { activityOf, batchOf, SOL_A, writeTo } from '../support/ledger.ts';
import { patienceMs } from '../support/patience.ts';
import { EFFORT } from '../support/random.ts';
import { refreshed } from '../support/refreshed.ts';
import { makeReleasedFile } from '../support/released.ts';
import { startService } from '../support/service.ts';
import { fileOf, STORE_KINDS, STORE_WAYS, storePlaces } from '../support/store-places.ts';

const places = storePlaces();

function move(from: string, to: string, ...more: string[]) {
  return runCli(['migrate-store', from, to, ...more], { cwd: temporaryFolder() });
}

const moveHere = (from: string, to: string, ...more: string[]) =>
  runHere(['migrate-store', from, to, ...more], {});

/** The printed table. */
function tablesOf(stdout: string) {
  const [, ...lines] = stdout.trimEnd().split('\n');
  return lines.map((line) => {
    const [table = '', rows = '', checksum, readBack] = line.split(/ {2,}/);
    return { table, rows: Number(rows.replaceAll(',', '')), checksum, readBack };
  });
}

describe('fathom migrate-store', () => {
  // There and back, each kind is read and written; every night each moves to its own kind too.
  it.each(
    EFFORT === 1
      ? STORE_WAYS.filter(([kind, other]) => kind === 'sqlite' && other === 'postgres')
      : STORE_WAYS,
  )('moves everything from %s to %s, and back again', async (kind, other) => {
    const [first, second, third] = [
      await places.newFilledStore(kind),
      await places.newPlace(other),
      await places.newPlace(kind),
    ];
    const before = await answersOf(first);

    const there = await moveHere(first, second);
    expect(there).toMatchObject({ code: 0, stderr: '' });
    expect(await answersOf(second)).toEqual(before);
    const tables = tablesOf(there.stdout);
    expect(tables.map(({ table }) => table)).toEqual(MOVED_TABLES.map(({ name }) => name));
    // An empty table would have proved nothing.
    expect(tables.filter(({ rows, readBack }) => rows === 0 || readBack !== 'equal')).toEqual([]);

    const back = await moveHere(second, third);
    expect(back).toMatchObject({ code: 0, stdout: there.stdout });
    expect(await answersOf(third)).toEqual(before);
    expect(await answersOf(first)).toEqual(before);
  });

  it.each(STORE_KINDS)('leaves a store of %s that works as before', async (kind) => {
    const [first, second] = [await places.newFilledStore('sqlite'), await places.newPlace(kind)];
    expect(await moveHere(first, second)).toMatchObject({ code: 0 });

    const store = await openQuietly(second);
    onTestFinished(async () => void (await store.close()));
    const source = await store.openSource();
    const before = (await source.reading().activity(SOL_A, 1))?.total ?? 0;
    const known = activityOf(SOL_A, 'b', { points: 1_000_000_000, timestamp: 0 });
    const activities = [activityOf(SOL_A, 'new', { badge: 'first' }), known];
    expect(await writeTo(store, batchOf({ activities }))).toEqual({ added: 1, known: 1 });
    await refreshed(store);
    expect((await source.reading().activity(SOL_A, 1))?.total).toBe(before + 1);
    await store.keys.add({ label: 'new', owner: 'cli', hash: '09'.repeat(32) }, 9);
    expect((await store.keys.list()).at(-1)?.label).toBe('new');
    await store.gating.audit([auditRow('undone')]);
    expect((await store.gating.auditOf(HOME, undefined, 1, 0))[0]?.event).toBe('undone');
  });

  it('moves a new, empty store', async () => {
    const [first, second] = [await places.newPlace('sqlite'), await places.newPlace('postgres')];
    await (await openQuietly(first)).close();
    const { code, stdout } = await moveHere(first, second);
    expect(code).toBe(0);
    expect(new Set(tablesOf(stdout).map(({ rows }) => rows))).toEqual(new Set([0]));
  });

  it('migrates a source of the first release to the newest schema before it is moved', async () => {
    const [first, second] = [await places.newPlace('sqlite'), await places.newPlace('sqlite')];
    makeReleasedFile(fileOf(first));
    using old = new DatabaseSync(fileOf(first));
    old.exec(`INSERT INTO wallet (address, chain) VALUES ('${SOL_A.address}', 1)`);
    old.close();
    const { code, stdout } = await moveHere(first, second);
    expect(code).toBe(0);
    expect(tablesOf(stdout)[0]).toMatchObject({ table: 'wallet', rows: 1 });
  });

  it('reads locations from variables and a .env file, and never prints a password', async () => {
    const cwd = temporaryFolder();
    const from = await places.newFilledStore('sqlite');
    const to = (await places.newPlace('postgres')).replace('fathom@', 'fathom:pass-word@');
    const file = join(cwd, 'settings');
    writeFileSync(file, `OLD=${from}\n`);
    const moved = await runCli(['migrate-store', 'env:OLD', 'env:NEW'], {
      cwd,
      env: { NEW: to, FATHOM_ENV_FILE: file },
    });
    expect(moved.code).toBe(0);
    const run = (target: string) =>
      runHere(['migrate-store', 'env:OLD', 'env:NEW'], { OLD: from, NEW: target });
    const refused = await run(to);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('is not empty');
    const away = await run('postgres://fathom:pass-word@127.0.0.1:1/away');
    expect(away).toMatchObject({ code: 1, stdout: '' });
    expect(away.stderr).toContain('127.0.0.1:1/away');
    for (const { stdout, stderr } of [moved, refused, away]) {
      expect(stdout + stderr).not.toContain('pass-word');
    }
  });

  it.each(STORE_KINDS)(
    'refuses a target of %s that has rows, and leaves it unchanged',
    async (kind) => {
      const [first, second] = [await places.newFilledStore('sqlite'), await places.newStore(kind)];
      const store = await openQuietly(second);
      await store.keys.add({ label: 'mine', owner: 'cli', hash: 'ab'.repeat(32) }, 9);
      await store.close();
      const before = await answersOf(second);
      const { code, stdout, stderr } = await moveHere(first, second);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('is not empty, and was not changed');
      expect(await answersOf(second)).toEqual(before);
    },
  );

  it.each(STORE_KINDS)(
    'refuses a missing or empty source of %s, and does not create one',
    async (kind) => {
      const [first, second] = [await places.newPlace(kind), await places.newPlace('sqlite')];
      const { code, stderr } = await moveHere(first, second);
      expect(code).toBe(1);
      expect(stderr).toContain('has no Fathom data');
      if (kind === 'sqlite') expect(existsSync(fileOf(first))).toBe(false);
      expect(existsSync(fileOf(second))).toBe(false);
    },
  );

  it("refuses another program's database, and leaves it unchanged", async () => {
    const [first, second] = [
      await places.newFilledStore('sqlite'),
      await places.newPlace('sqlite'),
    ];
    const other = new DatabaseSync(fileOf(second));
    other.exec('CREATE TABLE notes (text TEXT)');
    other.close();
    const before = readFileSync(fileOf(second));
    const { code, stderr } = await moveHere(first, second);
    expect(code).toBe(1);
    expect(stderr).toContain("another program's");
    expect(readFileSync(fileOf(second)).equals(before)).toBe(true);
  });

  it.each([
    ['one name', ['sqlite:a.db'], 'needs TO'],
    ['three names', ['sqlite:a.db', 'sqlite:b.db', 'sqlite:c.db'], 'Unexpected argument'],
    ['a path alone', ['a.db', 'sqlite:b.db'], 'Name a store as in DATABASE_URL'],
    ['a password that breaks the address', ['postgres://me:pass#word@db/x', 'sqlite:b.db'], '%23'],
    ['memory', ['sqlite::memory:', 'sqlite:b.db'], 'Name a store as in DATABASE_URL'],
    ['a variable that is not set', ['env:NOWHERE', 'sqlite:b.db'], 'NOWHERE is not set'],
  ])('exits with 2 when given %s', async (_, args, words) => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await runHere(['migrate-store', ...args], {}, cwd);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('pass#word');
    expect(existsSync(join(cwd, 'b.db'))).toBe(false);
  });

  it('refuses a file that a service is using, unless told otherwise', async () => {
    const place = workplace({ 'a.ndjson': ndjson(mixedLines(300)) });
    expect(await place.run(['import', 'a.ndjson'])).toMatchObject({ code: 0 });
    const target = await places.newPlace('sqlite');
    const service = await startService({ DATABASE_URL: place.env.DATABASE_URL });
    onTestFinished(async () => void (await service.stop()));
    const refused = await moveHere(place.env.DATABASE_URL, target);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('A service is using');
    expect(existsSync(fileOf(target))).toBe(false);
    const moved = await move(place.env.DATABASE_URL, target, '--while-served');
    expect(moved).toMatchObject({ code: 0 });
    expect(dump(fileOf(target))).toEqual(dump(place.database));
  });

  it('refuses a target that a service is using', async () => {
    const [first, second] = [
      await places.newFilledStore('sqlite'),
      await places.newPlace('sqlite'),
    ];
    const service = await startService({ DATABASE_URL: second });
    onTestFinished(async () => void (await service.stop()));
    const refused = await moveHere(first, second);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('A service is using');
  });

  it('refuses a database that replicas are using', async () => {
    const [first, second] = [await places.newStore('postgres'), await places.newPlace('sqlite')];
    const store = await openQuietly(first);
    onTestFinished(async () => void (await store.close()));
    const stop = new AbortController();
    const beating = (async () => {
      while (!stop.signal.aborted) {
        await store.work.beat('a replica');
        await delay(500);
      }
    })().catch((error: unknown) => error);
    await vi.waitFor(() => store.work.beat('a replica'), { timeout: patienceMs() });
    expect(await moveHere(first, second)).toMatchObject({ code: 1, stdout: '' });
    expect(existsSync(fileOf(second))).toBe(false);
    expect(await moveHere(first, second, '--while-served')).toMatchObject({ code: 0 });
    stop.abort();
    expect(await beating).toBeUndefined();
    await store.work.leave('a replica');
    const third = await places.newPlace('sqlite');
    expect(await moveHere(first, third)).toMatchObject({ code: 0 });
  });

  it.each([
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
  ] as const)('moves a consistent snapshot of %s during writes, to %s', async (kind, other) => {
    const [first, second] = [await places.newPlace(kind), await places.newPlace(other)];
    const { cwd } = workplace({
      'a.ndjson': ndjson(mixedLines(500)),
      'b.ndjson': ndjson(mixedLines(5_000)),
    });
    const options = { cwd, env: { DATABASE_URL: first } };
    expect(await runCli(['import', 'a.ndjson'], options)).toMatchObject({ code: 0 });
    const writing = runCli(['import', 'b.ndjson'], options);
    const { code, stdout } = await move(first, second);
    expect(code).toBe(0);
    expect(await writing).toMatchObject({ code: 0 });
    const rows = tablesOf(stdout).find(({ table }) => table === 'activity')?.rows ?? 0;
    expect(rows).toBeGreaterThanOrEqual(500);
    // Sums follow from the ledger, and batches are complete.
    const checked = other === 'sqlite' ? second : await places.newPlace('sqlite');
    if (checked !== second) expect(await moveHere(second, checked)).toMatchObject({ code: 0 });
    expect(faultsOf(fileOf(checked))).toEqual([]);
  });
});
