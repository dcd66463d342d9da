import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { copyDatabase } from '#storage/sqlite/file/backup';
import { MIGRATIONS, newestVersion } from '#storage/tables/migrations';
import { type Workplace, workplace } from '../support/import-cli.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';

const NEWEST = newestVersion(MIGRATIONS.sqlite);

/** A database whose tables aren't those of the version that it names, and what is said of it. */
const UNLIKE = [
  ['lacks a table of the ledger', 'DROP TABLE batch', /without batch\.id, /],
  ['lacks a column', 'ALTER TABLE card_style DROP COLUMN accent', /without card_style\.accent\b/],
  ['is of the version before', `PRAGMA user_version = ${NEWEST - 1}`, /schema \d+.* already/],
  ['is of no version', 'PRAGMA user_version = 0', /schema 0.* already/],
] as const;

/** The file of a database after an import, which is the same each time. */
let imported: Buffer | undefined;

async function changed(sql: string): Promise<Workplace> {
  if (imported === undefined) {
    const first = workplace({ 'a.ndjson': ndjson(mixedLines(30)) });
    expect(await first.runHere(['import', 'a.ndjson'])).toMatchObject({ code: 0 });
    imported = readFileSync(first.database);
  }
  const place = workplace({ 'fathom.db': imported });
  using db = new DatabaseSync(place.database);
  db.exec(sql);
  return place;
}

describe.each(UNLIKE)('of a database that %s', (_, sql, words) => {
  it('fathom backup says so, and makes none', async () => {
    const place = await changed(sql);
    const { code, stderr } = await place.runHere(['backup', 'b.db']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(readdirSync(place.cwd).filter((name) => name.startsWith('b.db'))).toEqual([]);
  });

  it('fathom restore says so of the file that it was given, and changes nothing', async () => {
    const place = await changed(sql);
    copyFileSync(place.database, join(place.cwd, 'b.db'));
    const elsewhere = { DATABASE_URL: `sqlite:${join(place.cwd, 'new.db')}` };
    const { code, stderr } = await place.runHere(['restore', 'b.db'], elsewhere);
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(stderr).toMatch(/^b\.db /);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(existsSync(join(place.cwd, 'new.db'))).toBe(false);
  });

  it('fathom doctor fails', async () => {
    const place = await changed(sql);
    const { code, stdout } = await place.runHere(['doctor'], { PORT: '0', METRICS_PORT: '0' });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^fail /m)]);
  });
});

it('fathom restore says of a backup’s record which file to name', async () => {
  const place = workplace({ 'b.db': 'x', 'b.db.json': '{}' });
  const { code, stderr } = await place.runHere(['restore', 'b.db.json']);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/; name b\.db\.$/m)]);
});

it('fathom restore says of a folder in the place of the database that it is no file', async () => {
  const place = await changed('');
  const folder = { DATABASE_URL: `sqlite:${place.cwd}` };
  const { code, stderr } = await place.runHere(['restore', 'fathom.db', '--replace'], folder);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${place.cwd} is no file.`)]);
});

it.each([
  ['before', `PRAGMA user_version = ${NEWEST - 1}`],
  ['lacking its table', 'DROP TABLE api_key'],
])('a command names a database with other tables than its version’s: %s', async (_, sql) => {
  const place = await changed(sql);
  const { code, stderr } = await place.runHere(['keys', 'list']);
  expect([code, stderr]).toEqual([1, expect.stringContaining(place.database)]);
  expect(stderr).not.toMatch(/\n\s+at /);
});

it('fathom backup says that the folder is gone in which it is making one', async () => {
  const place = await changed('');
  // As where a network disk is unmounted once the command has begun.
  const copy = join(place.cwd, 'unmounted', 'b.db.part');
  const made = copyDatabase(place.database, copy, 'backups/b.db', () => undefined);
  await expect(made).rejects.toThrow(/^backups\/b\.db can't be written, because \S+ is gone\./);
});
