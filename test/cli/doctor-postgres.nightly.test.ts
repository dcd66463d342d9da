import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { MIGRATIONS, newestVersion } from '#storage/tables/migrations';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { openQuietly } from '../support/filled-store.ts';
import { runCli, runHere, workplace } from '../support/import-cli.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';
import { activityOf, batchOf, ETH_A, ETH_B, eventOf, writeTo } from '../support/ledger.ts';
import { queryDatabase } from '../support/postgres/database.ts';
import { createMigratedDatabase } from '../support/postgres/migrated.ts';
import { missingPooler, startPooler } from '../support/postgres/pooler.ts';
import { makeReleasedTables, RELEASED } from '../support/released.ts';
import { rulesText, ScoredStore, TODAY } from '../support/scoring.ts';

let cluster: Cluster;
beforeAll(async () => {
  // Configured as an operator's; the tests' own servers would cause warnings.
  cluster = await startCluster({
    settings: { fsync: 'on', full_page_writes: 'on', max_connections: '60' },
  });
});
afterAll(() => cluster.remove());

/** Level and message by subject. */
async function examine(url: string, changes: Record<string, string> = {}) {
  const env = { PORT: '0', METRICS_PORT: '0', DATABASE_URL: url, ...changes };
  const { code, stdout, stderr } = await runHere(['doctor'], env);
  expect(stderr).toBe('');
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  const found = Object.fromEntries(lines.map(([level, subject, text]) => [subject, [level, text]]));
  return { code, found, stdout };
}

/** A database with the newest schema and nothing else. */
const madeDatabase = () => createMigratedDatabase(cluster);

let guests = 0;

/** The same URL for a new user who only has these grants. */
async function asGuest(url: string, ...grants: string[]): Promise<string> {
  guests += 1;
  const name = `guest_${guests}`;
  await queryDatabase(url, `CREATE ROLE ${name} LOGIN`);
  for (const grant of grants) await queryDatabase(url, grant.replaceAll('GUEST', name));
  return url.replace('fathom@', `${name}:pass-word@`);
}

describe('fathom doctor with Postgres', () => {
  it('reports a server that has no connections left', async () => {
    const url = await asGuest(await madeDatabase(), 'ALTER ROLE GUEST CONNECTION LIMIT 0');
    const { code, found } = await examine(url);
    expect(code).toBe(1);
    expect(found.database).toEqual([
      'fail',
      expect.stringMatching(
        /is out of connections: too many connections for role.*max_connections/,
      ),
    ]);
  });

  it('reports that all is well', async () => {
    const url = await cluster.createDatabase();
    const { cwd } = workplace();
    const env = { DATABASE_URL: url };
    const input = ndjson(mixedLines(300));
    expect(await runCli(['import', '-'], { cwd, env, input })).toMatchObject({ code: 0 });
    const { code, found } = await examine(url);
    expect(code).toBe(0);
    expect(found).toEqual({
      configuration: ['ok', expect.any(String)],
      database: ['ok', expect.stringMatching(/^Postgres \d+/)],
      schema: ['ok', `version ${newestVersion(MIGRATIONS.postgres)}, the latest`],
      connections: ['ok', expect.stringMatching(/^\d+ of 57 in use/)],
      connection: ['ok', expect.stringContaining('on this machine')],
      replicas: ['ok', '0 live'],
      size: ['ok', expect.stringMatching(/^\d+ [KM]iB$/)],
      data: [
        'ok',
        expect.stringMatching(/^30 wallets, 300 imported activities, last change \d{4}-/),
      ],
      port: ['ok', 'any free port'],
      'metrics port': ['ok', 'any free port'],
    });
  });

  it('counts wallets whose scores come from rules alone', async () => {
    const url = await madeDatabase();
    const store = await openQuietly(url);
    const scored = new ScoredStore(store, TODAY);
    await writeTo(store, batchOf({ activities: [activityOf(ETH_A, 'k1')] }));
    await scored.add(eventOf(ETH_A, 'w1'), eventOf(ETH_B, 'w1'));
    const rule = '{id: a, on: {import: workshop_attended}, give: {type: done, points: 1}}';
    await scored.apply(rulesText([rule]));
    await scored.apply(rulesText([rule], { version: 2 }));
    await store.close();
    const { found } = await examine(url);
    expect(found.data).toEqual(['ok', expect.stringMatching(/^2 wallets, 1 imported activity, /)]);
  });

  it('warns of an empty database, and creates nothing in it', async () => {
    const url = await cluster.createDatabase();
    const { code, found } = await examine(url);
    expect(code).toBe(0);
    expect(found.schema).toEqual(['warn', expect.stringContaining('not created yet')]);
    expect(await queryDatabase(url, `SELECT FROM pg_namespace WHERE nspname = 'fathom'`)).toEqual(
      [],
    );
  });

  it('fails for a schema from before the first release, and leaves it as it is', async () => {
    const url = await cluster.createDatabase();
    await makeReleasedTables(url, RELEASED.postgres - 1);
    const { code, found } = await examine(url);
    expect(code).toBe(1);
    expect(found.schema).toEqual(['fail', expect.stringContaining('before Fathom 0.1.0')]);
    const rows = await queryDatabase(url, 'SELECT max(version) AS version FROM schema_version');
    expect(rows).toEqual([{ version: RELEASED.postgres - 1 }]);
  });

  it.each([
    ['fails for a schema that only newer programs know', 99, 'fail'],
    ['warns of a newer schema that this program can work with', 1, 'warn'],
  ])('%s', async (_, worksFrom, level) => {
    const url = await madeDatabase();
    await queryDatabase(
      url,
      `INSERT INTO fathom.schema_version (version, name, works_from) VALUES (99, 'x', ${worksFrom})`,
    );
    const { code, found } = await examine(url);
    expect(code).toBe(level === 'fail' ? 1 : 0);
    expect(found.schema).toEqual([level, expect.stringContaining('newer Fathom')]);
  });

  it('fails for a schema that lacks a column, and names it', async () => {
    const url = await madeDatabase();
    await queryDatabase(url, 'ALTER TABLE fathom.gate_bar DROP COLUMN gone');
    const { code, found } = await examine(url);
    expect(code).toBe(1);
    expect(found.schema).toEqual(['fail', expect.stringContaining(": gate_bar.gone isn't there")]);
  });

  it("fails for another program's schema with our name", async () => {
    const url = await cluster.createDatabase();
    await queryDatabase(url, 'CREATE SCHEMA fathom; CREATE TABLE fathom.notes (text text)');
    const { code, found } = await examine(url);
    expect(code).toBe(1);
    expect(found.schema).toEqual(['fail', expect.stringContaining('another program has a schema')]);
  });

  it('fails for a user who may not create the schema', async () => {
    const { code, found } = await examine(await asGuest(await cluster.createDatabase()));
    expect(code).toBe(1);
    expect(found.schema).toEqual(['fail', expect.stringContaining("can't create it")]);
  });

  it.skipIf(missingPooler)('fails for a pooler in transaction mode', async () => {
    const pooler = await startPooler(cluster, 'transaction');
    onTestFinished(() => pooler.remove());
    const { code, found } = await examine(pooler.urlOf(await madeDatabase()));
    expect(code).toBe(1);
    expect(found.database).toEqual(['fail', expect.stringContaining('session mode')]);
  });

  it('fails for a read-only user', async () => {
    const url = await asGuest(
      await madeDatabase(),
      'GRANT USAGE ON SCHEMA fathom TO GUEST',
      'GRANT SELECT ON ALL TABLES IN SCHEMA fathom TO GUEST',
    );
    const { code, found } = await examine(url);
    expect(code).toBe(1);
    expect(found.schema).toEqual(['fail', expect.stringContaining("can't write")]);
  });

  it.each([
    ['a server that is not there', (url: string) => url.replace(/:\d+\//, ':1/')],
    ['a database that is not there', (url: string) => url.replace(/\w+$/, 'nowhere')],
    ['a user who is not there', (url: string) => url.replace('fathom@', 'nobody@')],
  ])('fails for %s, and never shows the password', async (_, changed) => {
    const url = changed(await cluster.createDatabase()).replace('@', ':pass-word@');
    const { code, found, stdout } = await examine(url);
    expect(code).toBe(1);
    expect(found.database?.[0]).toBe('fail');
    expect(stdout).not.toContain('pass-word');
  });

  it('fails for a server that does not respond, within a bounded time', async () => {
    const url = await cluster.createDatabase();
    cluster.freeze();
    onTestFinished(() => cluster.thaw());
    const { code, found } = await examine(url);
    expect(code).toBe(1);
    expect(found.database).toEqual(['fail', expect.stringContaining("isn't responding")]);
  });

  it('fails for a database whose encoding lacks characters', async () => {
    const url = await cluster.createDatabase();
    await queryDatabase(
      url,
      `CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`,
    );
    const { code, found } = await examine(url.replace(/\w+$/, 'latin'));
    expect(code).toBe(1);
    expect(found.database).toEqual(['fail', expect.stringContaining("ENCODING 'UTF8'")]);
  });

  it('warns when connections run out', async () => {
    const url = await madeDatabase();
    const clients = Array.from({ length: 50 }, () => new pg.Client(url));
    onTestFinished(async () => void (await Promise.all(clients.map((each) => each.end()))));
    for (const client of clients) await client.connect();
    const { found } = await examine(url);
    expect(found.connections).toEqual(['warn', expect.stringContaining('max_connections')]);
  });

  it('counts live replicas, and says if their limits add up', async () => {
    const url = await madeDatabase();
    const store = await openQuietly(url);
    const beat = async () => {
      for (const name of ['one', 'two']) await store.work.beat(name);
    };
    await beat();
    // The last heartbeat may find the store closed.
    const beating = setInterval(() => void beat().catch(() => undefined), 500);
    onTestFinished(async () => {
      clearInterval(beating);
      await store.close();
    });
    const { code, found } = await examine(url);
    expect(code).toBe(0);
    expect(found.replicas).toEqual(['ok', '2 live']);
    expect(found.limits).toEqual(['warn', expect.stringContaining('REDIS_URL')]);
    const shared = await examine(url, { REDIS_URL: 'redis://127.0.0.1:1' });
    expect(shared.found.limits).toBeUndefined();
  });
});

describe('fathom doctor with a server tuned for speed alone', () => {
  it('warns of settings that lose data', async () => {
    const fast = await startCluster();
    onTestFinished(() => fast.remove());
    const { code, found } = await examine(await fast.createDatabase());
    expect(code).toBe(0);
    expect(found.durability).toEqual([
      'warn',
      expect.stringMatching(/^fsync and full_page_writes are off/),
    ]);
  });
});

describe('fathom doctor with a read replica', () => {
  it('says whether it is in sync, and that it is read-only', async () => {
    const primary = await startCluster();
    onTestFinished(() => primary.remove());
    const url = await primary.createDatabase();
    await (await openQuietly(url)).close();
    const standby = await primary.addStandby();
    onTestFinished(() => standby.remove());
    const copy = standby.urlOf(url);

    const good = await examine(url, { DATABASE_READ_URL: copy });
    expect(good.code).toBe(0);
    expect(good.found['read copy']).toEqual(['ok', expect.stringMatching(/^answers, \d s behind/)]);

    const reversed = await examine(copy);
    expect(reversed.code).toBe(1);
    expect(reversed.found.database).toEqual(['fail', expect.stringContaining('read-only standby')]);

    const itself = await examine(url, { DATABASE_READ_URL: url });
    expect(itself.found['read copy']).toEqual(['warn', expect.stringContaining('not a standby')]);

    await standby.kill();
    const gone = await examine(url, { DATABASE_READ_URL: copy });
    expect(gone.code).toBe(1);
    expect(gone.found['read copy']).toEqual(['fail', expect.stringContaining("isn't responding")]);
  });
});
