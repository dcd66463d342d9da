import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { RetryableError } from '#base';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { runCli, workplace } from '../support/import-cli.ts';
import { dump } from '../support/import-dump.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const options = { thresholds: DEFAULT_THRESHOLDS, log };

/** A database as a killed service leaves it, with its log beside it (or some of `ends`), on a disk that's read-only now. */
async function killedThere(context: TestContext, ends: readonly string[] = ['', '-wal', '-shm']) {
  const place = workplace({ 'a.ndjson': ndjson(mixedLines(500)) });
  const disk = mountSmallDisk(place.cwd, 16);
  if (disk === undefined) return context.skip('a disk can be mounted by root alone');
  expect(await place.runHere(['import', 'a.ndjson'])).toMatchObject({ code: 0 });
  const store = await openStore(`sqlite:${place.database}`, options);
  onTestFinished(() => store.close());
  const database = join(disk.path, 'fathom.db');
  for (const end of ends) copyFileSync(place.database + end, database + end);
  disk.makeReadOnly(true);
  const env = { ...place.env, DATABASE_URL: `sqlite:${database}` };
  return {
    disk,
    url: env.DATABASE_URL,
    cwd: place.cwd,
    content: dump(place.database),
    run: (...args: string[]) => runCli(args, { cwd: place.cwd, env }),
  };
}

it('fathom doctor and import name the disk that is read-only, and blame no rights', async (context) => {
  const { disk, run } = await killedThere(context);
  const before = readdirSync(disk.path);
  const doctor = await run('doctor');
  expect(doctor.stdout).toMatch(/fail +database .*read-only/);
  const { code, stderr } = await run('import', 'a.ndjson', '--retry-for', '1');
  expect([code, stderr]).toEqual([1, expect.stringContaining('read-only')]);
  expect(doctor.stdout + stderr).not.toContain('this user');
  expect(readdirSync(disk.path)).toEqual(before);
});

it.for([
  ['as a killed service left it', ['', '-wal', '-shm']],
  ['with its log alone', ['', '-wal']],
  ['as a stopped service left it', ['']],
] as const)(
  'fathom backup copies a database from a read-only disk, %s',
  async ([, ends], context) => {
    const { cwd, content, run } = await killedThere(context, ends);
    expect(await run('backup', 'b.db')).toMatchObject({ code: 0 });
    const copy = join(cwd, 'b.db');
    expect(dump(copy)).toEqual(content);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(cwd).filter((name) => name.startsWith('b.db'))).toEqual([
      'b.db',
      'b.db.json',
    ]);
  },
);

it('fathom backup and restore name a disk that is read-only, and change nothing', async (context) => {
  const { disk, cwd, run } = await killedThere(context, ['']);
  expect(await run('backup', 'b.db')).toMatchObject({ code: 0 });
  const before = readdirSync(disk.path);
  for (const args of [
    ['backup', join(disk.path, 'c.db')],
    ['restore', '--replace', join(cwd, 'b.db')],
  ]) {
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^(?!.*EROFS).*\/disk\/\S+ .*read-only/),
    ]);
  }
  expect(readdirSync(disk.path)).toEqual(before);
});

it('a start waits for a read-only disk to be mounted for writing, and never reads alone from then on', async (context) => {
  const { disk, url, run } = await killedThere(context);
  await expect(openStore(url, options)).rejects.toBeInstanceOf(RetryableError);
  disk.makeReadOnly(false);
  const store = await openStore(url, options);
  onTestFinished(() => store.close());
  expect(await store.keys.list()).toEqual([]);
  expect(await run('import', 'a.ndjson')).toMatchObject({ code: 0 });
});

it('fathom init says that the disk is read-only before it asks anything', async (context) => {
  const place = workplace();
  const disk = mountSmallDisk(place.cwd, 1);
  if (disk === undefined) return context.skip('a disk can be mounted by root alone');
  disk.makeReadOnly(true);
  // It reads the process's own environment.
  const env = { FATHOM_ENV_FILE: join(disk.path, '.env') };
  const { code, stderr } = await runCli(['init', '--yes'], { cwd: place.cwd, env });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/disk .*read-only/)]);
});
