import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openSqliteStore } from '#storage/sqlite/open';
import type { Store } from '#storage/store';
import { ALL, auditRow, HOME, runOf } from '../support/gate-records.ts';
import { finished, temporaryFolder } from '../support/import-cli.ts';
import { silentLog } from '../support/log.ts';
import { ownProgram } from '../support/program.ts';

function open(file: string): Store {
  return openSqliteStore(file, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
}

it('Two processes that begin runs at once begin one in each community', async () => {
  const file = join(temporaryFolder(), 'fathom.db');
  const count = 200;
  const store = open(file);
  const programs = ['left', 'right'].map((name) =>
    spawn(process.execPath, [ownProgram('beginRuns'), file, name, String(count)], {
      stdio: 'pipe',
    }),
  );
  await Promise.all(programs.map(({ stdout }) => once(stdout, 'data')));
  const results = programs.map((program) => finished(program));
  for (const { stdin } of programs) stdin.end();
  const begun = (await Promise.all(results)).map(
    ({ stdout }) => JSON.parse(stdout) as readonly string[],
  );
  expect(begun.flat()).toHaveLength(count);
  expect(new Set(begun.flat()).size).toBe(count);
  expect(await store.gating.openRuns()).toHaveLength(count);
  expect(await store.gating.beginRun(runOf('late', { community: { ...HOME, id: '7' } }))).toBe(
    false,
  );
  await store.close();
});

describe('the audit log in the file', () => {
  const rows = [
    auditRow('rule-added', { rule: 'aaaa', by: 'discord:9', detail: 'Whales' }),
    auditRow('given', { run: 'run00001', rule: 'aaaa', account: '1', detail: 'Whale' }),
  ];

  it.each([
    'DELETE FROM gate_audit',
    'DELETE FROM gate_audit WHERE account IS NOT NULL',
    'UPDATE gate_audit SET at = 1',
    "UPDATE gate_audit SET detail = ''",
    "UPDATE gate_audit SET detail = '' WHERE seq = 1",
    "UPDATE gate_audit SET account = '2', detail = '' WHERE seq = 2",
    'UPDATE gate_audit SET account = NULL WHERE seq = 2',
    "UPDATE gate_audit SET account = NULL, detail = 'Shark' WHERE seq = 2",
    "UPDATE gate_audit SET account = NULL, detail = '', by_account = 'discord:8' WHERE seq = 2",
    "UPDATE gate_audit SET account = NULL, detail = '', event = 'taken' WHERE seq = 2",
    "UPDATE gate_audit SET account = NULL, detail = '', run = NULL WHERE seq = 2",
    "UPDATE gate_audit SET account = NULL, detail = '', seq = 9 WHERE seq = 2",
    "UPDATE OR REPLACE gate_audit SET account = NULL, detail = '', seq = 1 WHERE seq = 2",
    "INSERT OR REPLACE INTO gate_audit VALUES (1, 1, 'discord', '10', 'held', NULL, NULL, NULL, NULL, '')",
  ])('refuses %s', async (sql) => {
    const file = join(temporaryFolder(), 'fathom.db');
    const store = open(file);
    await store.gating.audit(rows);
    const db = new DatabaseSync(file);
    expect(() => db.exec(sql)).toThrow('the audit is only ever added to');
    db.close();
    expect(await store.gating.auditOf(HOME, undefined, ALL, 0)).toEqual(rows.toReversed());
    await store.close();
  });
});
