import { chmodSync, chownSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { otherAccount } from '../../bench/servers/postgres/binaries.ts';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { openQuietly } from '../support/filled-store.ts';
import { runCli, workplace } from '../support/import-cli.ts';
import { dump } from '../support/import-dump.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';
import { dumpPostgres, faultsOfPostgres } from '../support/import-postgres.ts';
import { queryDatabase } from '../support/postgres/database.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';

/** A database whose tables are on that disk. If the journal has no room, the server itself ends. */
async function databaseOn({ path }: SmallDisk, cluster: Cluster): Promise<string> {
  chmodSync(dirname(path), 0o755);
  const { uid, gid } = otherAccount() ?? {};
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  const url = new URL(await cluster.createDatabase());
  await queryDatabase(url.href, `CREATE TABLESPACE small LOCATION '${path}'`);
  await queryDatabase(url.href, 'CREATE DATABASE small TABLESPACE small');
  url.pathname = '/small';
  return url.href;
}

it("fathom import reports that Postgres's disk is full, keeps what was committed, and completes the import later", async (context) => {
  const place = workplace({
    'small.ndjson': ndjson(mixedLines(500)),
    'large.ndjson': ndjson(mixedLines(50_000)),
  });
  const disk = mountSmallDisk(place.cwd, 11);
  if (disk === undefined) {
    context.skip('a small disk can be mounted by root alone');
    return;
  }
  const cluster = await startCluster();
  onTestFinished(() => cluster.remove());
  const url = await databaseOn(disk, cluster);
  const run = (...args: string[]) =>
    runCli(args, { cwd: place.cwd, env: { ...place.env, DATABASE_URL: url } });

  expect(await run('import', 'small.ndjson')).toMatchObject({ code: 0 });
  const store = await openQuietly(url);
  onTestFinished(() => store.close());
  const source = await store.openSource();
  const users = async () => (await source.reading().stats()).totalUsers;
  expect(await users()).toBe(50);

  const { code, stderr } = await run('import', 'large.ndjson', '--retry-for', '1');
  expect(code).toBe(1);
  expect(stderr).toContain('is out of disk space');
  expect(stderr).toContain('run the same command again to complete the import');
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(await users()).toBeGreaterThanOrEqual(50);
  expect(await faultsOfPostgres(url)).toEqual([]);

  disk.resize(400);
  expect(await run('import', 'large.ndjson')).toMatchObject({ code: 0 });
  await place.run(['import', 'small.ndjson']);
  await place.run(['import', 'large.ndjson']);
  expect(await faultsOfPostgres(url)).toEqual([]);
  expect(JSON.stringify(await dumpPostgres(url)) === JSON.stringify(dump(place.database))).toBe(
    true,
  );
});
