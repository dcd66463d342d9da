import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import type { Logger } from '#base/log';
import { openDatabase } from '#storage/postgres/database';
import { HolderLiveness } from '#storage/postgres/ledger/write-lock';
import { createWriter, type WriterLimits } from '#storage/postgres/ledger/writer';
import { finished, startCli, workplace } from '../support/import-cli.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';
import { activityOf, batchOf, ETH_A } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';
import { useDatabase } from '../support/postgres/database.ts';
import { addGate } from '../support/postgres/gate.ts';
import { makeTables, PATIENT } from '../support/postgres/operations.ts';

const db = useDatabase();

/** A writer with one activity to commit, and its messages meanwhile. */
async function waiting(limits: WriterLimits) {
  const said: string[] = [];
  const log: Logger = { ...silentLog, warn: (_, message) => void said.push(message) };
  const pool = openDatabase(db.url, silentLog, PATIENT);
  const writer = createWriter(pool, db.url, log, { checkMs: 20, warnMs: 0, ...limits });
  onTestFinished(async () => {
    await writer.close();
    await pool.close();
  });
  await writer.stage(batchOf({ activities: [activityOf(ETH_A, 'a')] }));
  return { writer, said };
}

it('an import frozen during a batch loses its turn, and continues once it wakes', async () => {
  const gate = await addGate(db.url, 'activity', 'NEW.seq = 1');
  const { cwd } = workplace({ 'a.ndjson': ndjson(mixedLines(30_000)) });
  const child = startCli(['import', 'a.ndjson'], { cwd, env: { DATABASE_URL: db.url } });
  const result = finished(child);
  await gate.reached();
  child.kill('SIGSTOP');
  // The server processes what was sent so far, and waits for more.
  await gate.open();
  const { writer, said } = await waiting({ lifelessMs: 200 });
  expect(await writer.commit()).toEqual({ added: 1, known: 0 });
  const who = `fathom import, process ${child.pid} on`;
  expect(said).toEqual([
    expect.stringMatching(new RegExp(`: waiting for ${who} .+ at 127.0.0.1, since 20\\d\\d-`)),
    expect.stringMatching(new RegExp(`^${who} .+ has shown no sign of life for .+ revoked`)),
  ]);
  // Nothing of it is committed before its next turn.
  expect(await db.query('SELECT count(*)::int AS n FROM activity')).toEqual([{ n: 1 }]);
  child.kill('SIGCONT');
  const { code, stderr } = await result;
  expect(stderr).toContain('Retrying in');
  expect(code).toBe(0);
  expect(await db.query('SELECT count(*)::int AS n FROM activity')).toEqual([{ n: 30_001 }]);
});

/** Another connection that has the turn. */
async function holder(): Promise<pg.Client> {
  await makeTables(db.url);
  const client = new pg.Client({ connectionString: db.url, application_name: 'somebody' });
  client.on('error', () => undefined);
  onTestFinished(() => client.end());
  await client.connect();
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('fathom ledger', 0))`);
  return client;
}

it('An import that works is waited for, and named if that takes too long', async () => {
  const other = await holder();
  // Whatever it's doing: the server works for it.
  const working = other.query('SELECT pg_sleep(600)').catch(() => undefined);
  const atWork = `SELECT FROM pg_stat_activity WHERE application_name = 'somebody' AND wait_event = 'PgSleep'`;
  await vi.waitFor(async () => expect(await db.query(atWork)).toHaveLength(1), {
    timeout: patienceMs(),
  });
  const { writer } = await waiting({ lifelessMs: 0, turnMs: 1_000 });
  const outcome = Promise.try(() => writer.commit());
  await expect(outcome).rejects.toThrow(RetryableError);
  await expect(outcome).rejects.toThrow(
    /^somebody at 127\.0\.0\.1, since 20.+ is writing to .+Wait until it's done, or stop it\.$/,
  );
  await db.query(
    `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'somebody'`,
  );
  await working;
  await other.query('ROLLBACK');
  await vi.waitFor(async () => expect(await writer.commit()).toEqual({ added: 1, known: 0 }), {
    timeout: patienceMs(),
  });
});

it('Only an import that shows the same counts at every check for long counts as lifeless', () => {
  const signs = new HolderLiveness(60_000);
  const at = (seconds: number, sign: string, waitsForClient = true) =>
    signs.isLifeless({ sign, waitsForClient }, seconds * 1_000);
  expect([at(0, 'a'), at(59, 'a'), at(60, 'a')]).toEqual([false, false, true]);
  // Another one has it now.
  expect([at(61, 'b'), at(120, 'b')]).toEqual([false, false]);
  // A few more bytes have arrived.
  expect([at(121, 'b 2'), at(180, 'b 2')]).toEqual([false, false]);
  // The server was working for it in between.
  expect([at(181, 'b 2', false), at(182, 'b 2'), at(241, 'b 2'), at(242, 'b 2')]).toEqual([
    false,
    false,
    false,
    true,
  ]);
});
