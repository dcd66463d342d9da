import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import {
  type CliResult,
  finished,
  runCli,
  said,
  startCli,
  workplace,
} from '../support/import-cli.ts';
import { dump } from '../support/import-dump.ts';
import { mixedLines, paddedNdjson } from '../support/import-lines.ts';
import {
  countPostgres,
  countUnsummed,
  dumpPostgres,
  faultsOfPostgres,
} from '../support/import-postgres.ts';
import { queryDatabase } from '../support/postgres/database.ts';
import { addGate } from '../support/postgres/gate.ts';
import { createMigratedDatabase } from '../support/postgres/migrated.ts';
import { EFFORT, randomFractions } from '../support/random.ts';

/** Two batches. */
const ACTIVITIES = 625;
/** Two batches, more of which is writing: for kills at any moment. */
const MANY_ACTIVITIES = 5_000;
const ROUNDS = EFFORT === 1 ? 2 : 4;
/** How many rounds may be too late to interrupt anything. */
const MOST_LATE = 30;
const INPUT = paddedNdjson(mixedLines(ACTIVITIES), 512);
const MANY = paddedNdjson(mixedLines(MANY_ACTIVITIES), 4_096);
const ARGS = ['import', 'a.ndjson'];

let cluster: Cluster;
/** What the same input gives in a SQLite file. */
const whole = new Map<string, string>();
/** How long an undisturbed import of many takes, in milliseconds. */
let duration = 5_000;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

function placeAt(url: string, input: string) {
  const { cwd } = workplace({ 'a.ndjson': input });
  return { url, options: { cwd, env: { DATABASE_URL: url } } };
}

const place = async () => placeAt(await createMigratedDatabase(cluster), INPUT);
/** Where not even the tables exist. */
const newPlace = async (input = MANY) => placeAt(await cluster.createDatabase(), input);

/** Compares as text first: printing the difference of two large lists takes minutes. */
async function expectWhole(url: string, input = INPUT): Promise<void> {
  expect(await faultsOfPostgres(url)).toEqual([]);
  expect(await countUnsummed(url)).toBe(0);
  let expected = whole.get(input);
  if (expected === undefined) {
    const file = workplace({ 'a.ndjson': input });
    expect(await file.runHere(ARGS)).toMatchObject({ code: 0 });
    expected = JSON.stringify(dump(file.database));
    whole.set(input, expected);
  }
  expect(JSON.stringify(await dumpPostgres(url)) === expected).toBe(true);
}

/** An import in the middle of its second batch. */
async function begun(args: readonly string[]) {
  const { url, options } = await place();
  const gate = await addGate(url, 'batch', 'NEW.id > 1');
  const child = startCli(args, options);
  const result = finished(child);
  await Promise.race([gate.reached(), result.then(endedEarly)]);
  const count = await countPostgres(url);
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(ACTIVITIES);
  return { url, options, gate, child, result };
}

/** Its message says why; a wait for the gate wouldn't. */
function endedEarly({ code, stderr }: CliResult): never {
  throw new Error(`The import ended with ${code} before its second batch: ${stderr}`);
}

/** A figure from the summary. */
function figureOf(stderr: string, name: string): number {
  const text = new RegExp(`^${name} +([\\d,]+)$`, 'm').exec(stderr)?.[1] ?? 'none';
  return Number(text.replaceAll(',', ''));
}

describe('fathom import into Postgres', () => {
  it('imports the same as into a file, and adds nothing the second time', async () => {
    const { url, options } = await newPlace();
    const started = performance.now();
    const first = await runCli(ARGS, options);
    duration = performance.now() - started;
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(figureOf(first.stderr, 'Activities added')).toBe(MANY_ACTIVITIES);
    const second = await runCli(ARGS, options);
    expect(second.code).toBe(0);
    expect(figureOf(second.stderr, 'Activities added')).toBe(0);
    expect(figureOf(second.stderr, 'Activities already known')).toBe(MANY_ACTIVITIES);
    await expectWhole(url, MANY);
  });

  it(`survives kill -9 at ${ROUNDS} random moments, and the same command completes it`, async () => {
    let { url, options } = await newPlace();
    let cutOff = 0;
    for (const fraction of randomFractions(ROUNDS + MOST_LATE)) {
      if (cutOff === ROUNDS) break;
      const child = startCli(ARGS, options);
      const closed = once(child, 'close');
      await Promise.race([closed, delay(((cutOff + fraction) / ROUNDS) * duration)]);
      child.kill('SIGKILL');
      await closed;
      const count = await countPostgres(url);
      // The schema is created in steps, too.
      if (count > 0) expect(await faultsOfPostgres(url)).toEqual([]);
      if (count < MANY_ACTIVITIES) cutOff += 1;
      else {
        // Too late: the machine was busier when the duration was measured.
        duration *= 0.7;
        ({ url, options } = await newPlace());
      }
    }
    expect(cutOff, 'imports that were killed under way').toBe(ROUNDS);
    expect(await runCli(ARGS, options)).toMatchObject({ code: 0 });
    await expectWhole(url, MANY);
  });

  it('leaves whole batches on SIGINT, and says how to continue', async () => {
    const { url, options, gate, child, result } = await begun(ARGS);
    const heard = said(child, 'Stopping');
    child.kill('SIGINT');
    await heard;
    await gate.open();
    const { code, stderr } = await result;
    expect(code).toBe(130);
    expect(stderr).toContain('run the same command again to complete the import');
    expect(await faultsOfPostgres(url)).toEqual([]);
    expect(await runCli(ARGS, options)).toMatchObject({ code: 0 });
    await expectWhole(url);
  });

  it.each([
    ['its connections are ended', (url: string) => endConnections(url)],
    [
      'the server is killed and started again',
      async () => {
        await cluster.kill();
        await delay(1_000);
        await cluster.start();
      },
    ],
  ])('completes with the right figures although %s', async (_, disturb) => {
    const { url, gate, result } = await begun(ARGS);
    await disturb(url);
    await gate.open();
    const { code, stderr } = await result;
    expect(stderr).toContain('Retrying');
    expect(code).toBe(0);
    expect(figureOf(stderr, 'Activities added')).toBe(ACTIVITIES);
    expect(figureOf(stderr, 'Activities already known')).toBe(0);
    await expectWhole(url);
  });

  it('reports that the database lost commits, and the same command completes it', async () => {
    const { url, options, gate, child, result } = await begun(ARGS);
    // It reconnects once everything is done.
    child.kill('SIGSTOP');
    await endConnections(url);
    await gate.open();
    // As after a failover to a server that lacks the first batch.
    await emptyTables(url);
    child.kill('SIGCONT');
    const { code, stderr } = await result;
    expect(code).toBe(1);
    expect(stderr).toContain('has lost a committed part of this import');
    expect(stderr).toContain('Run the same command again');
    expect(await countPostgres(url)).toBe(0);
    expect(await runCli(ARGS, options)).toMatchObject({ code: 0 });
    await expectWhole(url);
  });

  it('reports a server that has no connections left, and continues once it has one', async () => {
    const { url, options } = await newPlace(INPUT);
    const guest = 'guest_of_import';
    await queryDatabase(
      url,
      `CREATE ROLE ${guest} LOGIN CONNECTION LIMIT 0;
       DO 'BEGIN EXECUTE format(''GRANT CREATE ON DATABASE %I TO ${guest}'', current_database()); END'`,
    );
    const env = { DATABASE_URL: url.replace('fathom@', `${guest}@`) };
    const child = startCli(ARGS, { ...options, env });
    const result = finished(child);
    await said(child, 'Retrying');
    await queryDatabase(url, `ALTER ROLE ${guest} CONNECTION LIMIT -1`);
    const { code, stderr } = await result;
    expect(code).toBe(0);
    expect(stderr).toContain('is out of connections: too many connections for role');
    expect(stderr).not.toContain("isn't responding");
    await expectWhole(url);
  });

  it('gives up after a while if the server stays down, and can be completed later', async () => {
    const { url, options, result } = await begun([...ARGS, '--retry-for', '1']);
    await cluster.kill();
    const { code, stderr } = await result;
    await cluster.start();
    expect(code).toBe(1);
    expect(stderr).toContain('run the same command again to complete the import');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(await faultsOfPostgres(url)).toEqual([]);
    expect(await runCli(ARGS, options)).toMatchObject({ code: 0 });
    await expectWhole(url);
  });
});

describe('key commands with Postgres', () => {
  it('create, list and revoke keys, and exit by themselves', async () => {
    const { options } = await place();
    const made = await runCli(['keys', 'create', '--label', 'a bot'], options);
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^fth_\S+\n$/);
    const listed = await runCli(['keys', 'list'], options);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    const line = listed.stdout.trimEnd().split('\n')[1] ?? '';
    expect(line).toMatch(/^\w+ +a bot +cli +\S+Z +live$/);
    expect(await runCli(['keys', 'revoke', line.split(' ')[0] ?? ''], options)).toMatchObject({
      code: 0,
    });
    expect((await runCli(['keys', 'list'], options)).stdout).toContain(' revoked ');
  });

  it('report that the server is down, without its password', async () => {
    const { cwd } = workplace();
    const env = { DATABASE_URL: 'postgres://fathom:pass-word@127.0.0.1:1/away' };
    const { code, stdout, stderr } = await runCli(['keys', 'list'], { cwd, env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      "The database 127.0.0.1:1/away isn't responding. Check that it's running.\n",
    );
  });
});

/**
 * Ends every connection of the program, as an operator might, and waits until they're gone. The gate stays
 * shut meanwhile: opened a moment too early, it would let the program finish.
 */
async function endConnections(url: string): Promise<void> {
  await queryDatabase(
    url,
    `SELECT pg_terminate_backend(pid, 50_000) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'fathom%'`,
  );
}

/** Empties all tables that an import may write to. */
async function emptyTables(url: string): Promise<void> {
  const [row] = await queryDatabase(
    url,
    `SELECT string_agg(quote_ident(tablename), ', ') AS tables FROM pg_tables
     WHERE schemaname = current_schema() AND tablename <> 'schema_version'`,
  );
  // A trigger forbids deleting from the audit log.
  await queryDatabase(url, `SET session_replication_role = replica; TRUNCATE ${row?.tables}`);
}
