import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { finished, runCli, workplace } from '../support/import-cli.ts';
import { dump, faultsOf } from '../support/import-dump.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';
import { NO_ENV_FILE, PROGRAM, SAME_PRIORITY } from '../support/program.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };

it('fathom import reports that the disk is full, keeps what was committed, and completes the import later', async (context) => {
  const place = workplace({
    'small.ndjson': ndjson(mixedLines(500)),
    'large.ndjson': ndjson(mixedLines(15_000)),
  });
  const disk = mountSmallDisk(place.cwd, 2);
  if (disk === undefined) {
    context.skip('a small disk can be mounted by root alone');
    return;
  }
  const database = join(disk.path, 'fathom.db');
  const url = `sqlite:${database}`;
  const run = (...args: string[]) =>
    runCli(args, { cwd: place.cwd, env: { ...place.env, DATABASE_URL: url } });

  expect(await run('import', 'small.ndjson')).toMatchObject({ code: 0 });
  const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log });
  onTestFinished(() => store.close());
  const source = await store.openSource();
  const leaderboard = () => source.reading().leaderboard({ chain: 'all', limit: 500, offset: 0 });
  const before = await leaderboard();
  expect(before.total).toBe(50);

  const { code, stderr } = await run('import', 'large.ndjson', '--retry-for', '1');
  expect(code).toBe(1);
  expect(stderr).toContain('is full');
  expect(stderr).toContain('run the same command again to complete the import');
  expect(stderr).not.toMatch(/\n\s+at /);

  // Reading goes on, of whole batches only, also for those who open the file just now.
  await store.refresh();
  const now = await leaderboard();
  expect(now.total).toBeGreaterThanOrEqual(before.total);
  const late = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log });
  const lateSource = await late.openSource();
  expect(await lateSource.reading().leaderboard({ chain: 'all', limit: 500, offset: 0 })).toEqual(
    now,
  );
  expect((await lateSource.reading().stats()).totalUsers).toBe(now.total);
  await late.close();
  expect(faultsOf(database)).toEqual([]);

  disk.resize(256);
  expect(await run('import', 'large.ndjson')).toMatchObject({ code: 0 });
  const whole = workplace();
  for (const name of ['small.ndjson', 'large.ndjson']) {
    writeFileSync(join(whole.cwd, name), place.read(name));
    await whole.run(['import', name]);
  }
  expect(JSON.stringify(dump(database)) === JSON.stringify(dump(whole.database))).toBe(true);
});

it('fathom backup and restore name the disk that is full, and leave nothing there', async (context) => {
  const place = workplace({ 'a.ndjson': ndjson(mixedLines(12_000)) });
  const disk = mountSmallDisk(place.cwd, 1);
  if (disk === undefined) {
    context.skip('a small disk can be mounted by root alone');
    return;
  }
  expect(await place.runHere(['import', 'a.ndjson'])).toMatchObject({ code: 0 });
  const backup = join(disk.path, 'b.db');
  const { code, stderr } = await place.runHere(['backup', backup]);
  expect(code).toBe(1);
  expect(stderr).toContain(`The disk of ${backup} is full.`);
  expect(readdirSync(disk.path)).toEqual([]);

  expect(await place.runHere(['backup', 'b.db'])).toMatchObject({ code: 0 });
  const there = { DATABASE_URL: `sqlite:${join(disk.path, 'f.db')}` };
  const restored = await runCli(['restore', 'b.db'], { cwd: place.cwd, env: there });
  expect(restored.code).toBe(1);
  expect(restored.stderr).toMatch(/^(?!.*ENOSPC).*disk\/f\.db .*unchanged/);
  expect(readdirSync(disk.path).filter((name) => !name.includes('served'))).toEqual([]);
});

it('fathom backup blames the disk that it writes to, not that of the database', async () => {
  const { cwd, env, runHere } = workplace({ 'a.ndjson': ndjson(mixedLines(30)) });
  expect(await runHere(['import', 'a.ndjson'])).toMatchObject({ code: 0 });
  // No file may have more than 50 kB, which SQLite takes for an I/O error.
  const limited = `trap '' XFSZ; ulimit -f 100; exec "$0" "$@"`;
  const program = [process.execPath, ...SAME_PRIORITY, ...PROGRAM];
  const child = spawn('sh', ['-c', limited, ...program, 'backup', 'b.db'], {
    ...{ cwd, env: { ...NO_ENV_FILE, ...env, PATH: process.env.PATH } },
  });
  const { code, stderr } = await finished(child);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^b\.db can't be written/)]);
  expect(readdirSync(cwd).filter((name) => name.startsWith('b.db'))).toEqual([]);
});
