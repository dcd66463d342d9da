import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openDatabase, transaction } from '#storage/sqlite/database';
import { finished, runHere, startCli, temporaryFolder, workplace } from '../support/import-cli.ts';
import { countActivities, faultsOf } from '../support/import-dump.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';
import { SAME_PRIORITY } from '../support/program.ts';
import { EFFORT, killSteps } from '../support/random.ts';

const DYING = new URL('../support/die-at-file-step.js', import.meta.url).href;
const NODE = [...SAME_PRIORITY, '--import', DYING];
/** More than there are steps. */
const MOST_STEPS = 90;

/** A database with so many activities. */
async function databaseOf(activities: number): Promise<string> {
  const place = workplace({ 'a.ndjson': ndjson(mixedLines(activities)) });
  expect(await place.runHere(['import', 'a.ndjson'])).toMatchObject({ code: 0 });
  return place.database;
}

/** Runs a command, killed at that step. @returns whether it ended by itself */
async function killedAt(step: number, args: string[], database: string): Promise<boolean> {
  const env = { DATABASE_URL: `sqlite:${database}`, DIE_AT: String(step) };
  const options = { cwd: temporaryFolder(), env, nodeArguments: NODE };
  const child = startCli(args, options);
  child.stdin?.end();
  const { code, stderr } = await finished(child);
  if (code !== undefined) expect({ code, stderr }).toMatchObject({ code: 0 });
  return code !== undefined;
}

/** What a killed service leaves: a file, and a log with another wallet. */
function crashInto(file: string, original: string): void {
  copyFileSync(original, file);
  const db = openDatabase(file);
  transaction(db, () =>
    db.exec(
      `INSERT INTO api_key (id, hash, label, owner, created_at) VALUES ('late', 'x', 'x', 'cli', 1)`,
    ),
  );
  const [main, log] = [readFileSync(file), readFileSync(`${file}-wal`)];
  db.close();
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  copyBytes(file, main);
  copyBytes(`${file}-wal`, log);
}

function copyBytes(file: string, bytes: Buffer): void {
  rmSync(file, { force: true });
  writeFileSync(file, bytes);
}

function hasLateKey(file: string): boolean {
  using db = new DatabaseSync(file);
  return db.prepare(`SELECT 1 FROM api_key WHERE id = 'late'`).get() !== undefined;
}

describe('kill -9', () => {
  it('Kill -9 in a backup leaves none, or a whole one with its record', async () => {
    const database = await databaseOf(60);
    for (const step of killSteps(MOST_STEPS, EFFORT)) {
      const backup = join(temporaryFolder(), 'b.db');
      const isWhole = await killedAt(step, ['backup', backup], database);
      expect(faultsOf(database)).toEqual([]);
      expect(existsSync(backup) || !isWhole).toBe(true);
      if (!existsSync(backup)) continue;
      const { sha256 } = JSON.parse(readFileSync(`${backup}.json`, 'utf8'));
      expect(createHash('sha256').update(readFileSync(backup)).digest('hex')).toBe(sha256);
      expect(countActivities(backup)).toBe(60);
      if (isWhole) break;
    }
  });

  it('Kill -9 in a restore leaves the old database or the new one, and the next restore ends it', async () => {
    const original = await databaseOf(80);
    const [folder, other] = [temporaryFolder(), await databaseOf(60)];
    const backup = join(folder, 'b.db');
    const env = { DATABASE_URL: `sqlite:${other}` };
    expect(await runHere(['backup', backup], env)).toMatchObject({ code: 0 });
    const seen = new Set<number>();
    for (const step of killSteps(MOST_STEPS, EFFORT)) {
      const file = join(temporaryFolder(), 'fathom.db');
      crashInto(file, original);
      const isWhole = await killedAt(step, ['restore', backup, '--replace'], file);
      // As the next start does.
      openDatabase(file).close();
      expect(faultsOf(file), `step ${step}`).toEqual([]);
      const activities = countActivities(file);
      expect(hasLateKey(file), `step ${step}`).toBe(activities === 80);
      seen.add(activities);
      const again = await runHere(['restore', backup, '--replace'], {
        DATABASE_URL: `sqlite:${file}`,
      });
      expect(again).toMatchObject({ code: 0 });
      expect(countActivities(file)).toBe(60);
      if (isWhole) break;
    }
    expect(seen).toEqual(new Set([80, 60]));
  });
});
