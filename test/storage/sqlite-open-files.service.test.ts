import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/import-cli.ts';
import { ROOT } from '../support/program.ts';

/** Opens a database in a process that may open no more files, and prints what kind of error that is. */
const PROGRAM = `
import { openSync } from 'node:fs';
import { RetryableError } from '#base';
import { openDatabase } from '#storage/sqlite/database';
const file = process.argv[1];
const silent = { debug() {}, info() {}, warn() {}, error() {} };
if (process.argv[2] === 'there') openDatabase(file, silent).close();
process.stdout.write('');
try {
  for (;;) openSync('/dev/null');
} catch {}
try {
  openDatabase(file, silent);
} catch (error) {
  process.stdout.write((error instanceof RetryableError) + ' ' + error.message);
}
`;

it.each(['there', 'missing'])(
  'A SQLite file (%s) that can’t be opened for want of open files is tried again, and no setting is blamed',
  (state) => {
    const words = ['--input-type=module', '--eval', PROGRAM];
    const file = join(temporaryFolder(), 'fathom.db');
    const { stdout, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -n 80 && exec "$@"', 'sh', process.execPath, ...words, file, state],
      { cwd: ROOT, encoding: 'utf8' },
    );
    expect(stdout + stderr).toMatch(/^true .*ulimit -n/);
  },
);
