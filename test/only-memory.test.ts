import { execFile, execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { takeRefusals } from './support/only-memory.ts';

const SHOULD_BE = /name the file .*\.db\.test\.ts/;

it.each([
  ['spawn', () => spawn('true')],
  ['spawnSync', () => spawnSync('true')],
  ['execFile', () => execFile('true')],
  ['execFileSync', () => execFileSync('true')],
  ['fork', () => fork('true')],
  ['DatabaseSync', () => new DatabaseSync(join(tmpdir(), 'fathom-no-such.db'))],
])('A file named .test.ts alone fails if it calls %s on more than memory', (_, deed) => {
  expect(deed).toThrow(SHOULD_BE);
  expect(takeRefusals()).toEqual([expect.stringMatching(SHOULD_BE)]);
});

it('A file named .test.ts alone opens databases in memory', () => {
  using db = new DatabaseSync(':memory:');
  expect(db.prepare('SELECT 1 AS one').get()).toEqual({ one: 1 });
});
