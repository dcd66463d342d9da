import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findStore } from '#storage/transfer';
import { computed } from '../support/cpu-time.ts';
import { fillStore, openQuietly } from '../support/filled-store.ts';
import { finished, runCli, said, startCli, temporaryFolder } from '../support/import-cli.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';
import { patienceMs } from '../support/patience.ts';
import { queryDatabase } from '../support/postgres/database.ts';
import { addGate } from '../support/postgres/gate.ts';
import { EFFORT, randomFractions } from '../support/random.ts';
import { fileOf, STORE_KINDS, type StoreKind, storePlaces } from '../support/store-places.ts';

const ROUNDS = EFFORT === 1 ? 2 : 6;
/** How many rounds may be too late to interrupt anything. */
const MOST_LATE = 30;

const places = storePlaces();

async function contentsOf(url: string): Promise<string> {
  const { kind, location } = await findStore(url);
  return kind.inspect(location);
}

/** Prepares a target in which the first table takes many seconds or, in Postgres, blocks. */
async function slowTarget(kind: StoreKind) {
  const url = await places.newPlace(kind);
  if (kind === 'postgres') {
    const gate = await addGate(url, 'activity', 'NEW.seq = 1');
    return { url, begun: gate.reached, goOn: gate.open };
  }
  await (await openQuietly(url)).close();
  // The program checks for signals between batches of 5,000 rows.
  withFile(
    url,
    `CREATE TRIGGER slow AFTER INSERT ON activity BEGIN
    WITH RECURSIVE count (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 6000)
    SELECT max(n) FROM count; END`,
  );
  const isBegun = () => existsSync(`${fileOf(url)}-journal`);
  const begun = () => vi.waitUntil(isBegun, { timeout: patienceMs(), interval: 5 });
  return { url, begun, goOn: () => Promise.resolve() };
}

function withFile(url: string, sql: string): void {
  const db = new DatabaseSync(fileOf(url));
  db.exec(sql);
  db.close();
}

/** A store that takes a second or more to move; nothing changes it. */
let large = '';
let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fathom-test-'));
  large = `sqlite:${join(folder, 'large.db')}`;
  const input = ndjson(mixedLines(8_000));
  const place = { cwd: folder, env: { DATABASE_URL: large }, input };
  expect(await runCli(['import', '-'], place)).toMatchObject({ code: 0 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = () => ({ cwd: temporaryFolder() });

describe.each(STORE_KINDS)('fathom migrate-store to %s', (kind) => {
  it(`leaves nothing when killed at ${ROUNDS} random moments, and can be restarted`, async () => {
    const from = large;
    const child = startCli(['migrate-store', from, await places.newPlace(kind)], options());
    const [whole, needed] = await Promise.all([finished(child), computed(child)]);
    expect(whole.code).toBe(0);
    let seconds = needed;

    let to = await places.newPlace(kind);
    let cutOff = 0;
    for (const fraction of randomFractions(ROUNDS + MOST_LATE)) {
      if (cutOff === ROUNDS) break;
      const child = startCli(['migrate-store', from, to], options());
      const closed = once(child, 'close');
      await computed(child, ((cutOff + fraction) / ROUNDS) * seconds);
      child.kill('SIGKILL');
      await closed;
      if ((await contentsOf(to)) !== 'filled') {
        cutOff += 1;
        continue;
      }
      // It was done, so everything is there; start a new one.
      const again = await runCli(['migrate-store', to, await places.newPlace('sqlite')], options());
      expect(again).toMatchObject({ code: 0, stdout: whole.stdout });
      to = await places.newPlace(kind);
      // Too late: the measured run used more CPU.
      seconds *= 0.9;
    }
    expect(cutOff, 'moves that were killed under way').toBe(ROUNDS);
    const last = await runCli(['migrate-store', from, to], options());
    expect(last).toMatchObject({ code: 0, stdout: whole.stdout });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('stops on %s, leaves nothing and exits with %i', async (signal, code) => {
    const { url: to, begun, goOn } = await slowTarget(kind);
    const child = startCli(['migrate-store', large, to], options());
    const result = finished(child);
    await begun();
    const heard = said(child, 'Stopping.');
    child.kill(signal);
    await heard;
    await goOn();
    const { code: found, stdout, stderr } = await result;
    expect({ found, stdout, stderr }).toEqual({
      found: code,
      stdout: '',
      stderr: expect.stringContaining('Stopping.'),
    });
    expect(stderr).toContain('run the same command again to start over');
    expect(await contentsOf(to)).toBe('empty');
  });

  it('detects a row changed in transit, and rolls everything back', async () => {
    const [from, to] = [await places.newPlace('sqlite'), await places.newPlace(kind)];
    await fillStore(from);
    await (await openQuietly(to)).close();
    await tamper(kind, to);
    const { code, stdout, stderr } = await runCli(['migrate-store', from, to], options());
    expect(code).toBe(1);
    expect(stdout).toMatch(/^gate_member .*DIFFERENT$/m);
    expect(stdout.match(/DIFFERENT/g)).toHaveLength(1);
    expect(stderr).toContain('gate_member');
    expect(await contentsOf(to)).toBe('empty');
  });
});

/** Prepares a target that protects every new member. */
async function tamper(kind: StoreKind, url: string): Promise<void> {
  if (kind === 'sqlite') {
    withFile(
      url,
      `CREATE TRIGGER meddle AFTER INSERT ON gate_member BEGIN
      UPDATE gate_member SET protected = 1 WHERE account = NEW.account; END`,
    );
    return;
  }
  await queryDatabase(
    url,
    `CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN NEW.protected := 1; RETURN NEW; END $$;
     CREATE TRIGGER meddle BEFORE INSERT ON gate_member
       FOR EACH ROW EXECUTE FUNCTION meddle()`,
  );
}
