import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { requireOwnLog } from '#storage/sqlite/file/lineage';
import { isServed, markServed } from '#storage/sqlite/serving';
import { workplace } from '../support/import-cli.ts';
import { dump } from '../support/import-dump.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';

/** A database on another disk, as it were, with a link to it where DATABASE_URL says. */
async function linked() {
  const place = workplace({
    'a.ndjson': ndjson(mixedLines(50)),
    'b.ndjson': ndjson(mixedLines(60)),
  });
  expect(await place.runHere(['import', 'a.ndjson'])).toMatchObject({ code: 0 });
  const folder = `${place.cwd}/disk`;
  const real = `${folder}/real.db`;
  mkdirSync(folder);
  renameSync(place.database, real);
  symlinkSync(real, place.database);
  return { ...place, real };
}

describe('a database that DATABASE_URL reaches by a link', () => {
  it('is restored where it is, and the link stays one', async () => {
    const place = await linked();
    expect(await place.runHere(['backup', 'copy.db'])).toMatchObject({ code: 0 });
    expect(await place.runHere(['import', 'b.ndjson'])).toMatchObject({ code: 0 });
    const later = dump(place.real);
    expect(later.activities.length).toBeGreaterThan(50);
    const { code, stderr } = await place.runHere(['restore', 'copy.db', '--replace']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(lstatSync(place.database).isSymbolicLink()).toBe(true);
    expect(realpathSync(place.database)).toBe(realpathSync(place.real));
    expect(dump(place.real)).toEqual(dump(`${place.cwd}/copy.db`));
    const aside = /The database before is (\S+);/.exec(stderr)?.[1] ?? '';
    expect(lstatSync(aside).isFile()).toBe(true);
    expect(dump(aside).activities).toEqual(later.activities);
  });

  it('is restored to where it was, though nothing is there', async () => {
    const place = await linked();
    expect(await place.runHere(['backup', 'copy.db'])).toMatchObject({ code: 0 });
    for (const end of ['', '-wal', '-shm']) rmSync(place.real + end, { force: true });
    const { code, stderr } = await place.runHere(['restore', 'copy.db']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(lstatSync(place.database).isSymbolicLink()).toBe(true);
    expect(dump(place.real)).toEqual(dump(`${place.cwd}/copy.db`));
  });

  it('is not restored onto itself, by whichever name', async () => {
    const place = await linked();
    linkSync(place.real, `${place.cwd}/hard.db`);
    const before = dump(place.real);
    const files = () => readdirSync(place.cwd, { recursive: true }).toSorted();
    const beside = files();
    for (const name of [place.database, 'disk/real.db', './disk/../hard.db']) {
      const { code, stderr } = await place.runHere(['restore', name, '--replace']);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining(`${name} is the database itself`),
      });
    }
    expect(files()).toEqual(beside);
    expect(dump(place.real)).toEqual(before);
  });

  it('is served once, whichever name a second service knows it by', async () => {
    const { database, real } = await linked();
    const leave = markServed(database);
    expect(isServed(real)).toBe(true);
    expect(() => markServed(real)).toThrow('Another process serves');
    leave();
    markServed(real)();
  });

  it('has its log beside the file itself, and a strange one is found there', async () => {
    const { cwd, database, real, runHere } = await linked();
    expect(await runHere(['backup', 'copy.db'])).toMatchObject({ code: 0 });
    // Only while it's open, its log stays.
    const open = new DatabaseSync(real);
    open.exec('PRAGMA wal_autocheckpoint = 0; SELECT 1');
    expect(await runHere(['import', 'b.ndjson'])).toMatchObject({ code: 0 });
    expect(existsSync(`${real}-wal`)).toBe(true);
    expect(() => requireOwnLog(database)).not.toThrow();
    renameSync(`${cwd}/copy.db`, real);
    expect(() => requireOwnLog(database)).toThrow('-wal belongs to another database');
    open.close();
  });
});

describe('a link that DATABASE_URL names and that leads nowhere', () => {
  it.each([
    [
      'a folder that is gone',
      'disk/data/real.db',
      'fathom.db',
      /leads to \S+disk\/data\/real\.db,/,
    ],
    ['itself', 'fathom.db', 'fathom.db', /leads back to itself/],
    ['a folder of its own that is gone', 'disk', 'data', /leads to \S+disk,/],
  ])('is named by every command where it leads to %s', async (_, target, link, words) => {
    const place = workplace({ 'a.ndjson': ndjson(mixedLines(50)) });
    expect(await place.runHere(['import', 'a.ndjson'])).toMatchObject({ code: 0 });
    expect(await place.runHere(['backup', 'copy.db'])).toMatchObject({ code: 0 });
    rmSync(place.database);
    symlinkSync(`${place.cwd}/${target}`, `${place.cwd}/${link}`);
    if (link === 'data') place.env.DATABASE_URL = `sqlite:${place.cwd}/data/fathom.db`;
    const before = readdirSync(place.cwd, { recursive: true }).toSorted();
    for (const command of ['backup new.db', 'import a.ndjson', 'keys list', 'doctor']) {
      const { code, stdout, stderr } = await place.runHere(command.split(' '));
      expect({ command, code, text: stdout + stderr }).toEqual({
        command,
        code: expect.toBeOneOf([1, 2]),
        text: expect.stringMatching(words),
      });
    }
    expect(readdirSync(place.cwd, { recursive: true }).toSorted()).toEqual(before);
  });

  it('may lead to a file that is new, in a folder that is there', async () => {
    const place = await linked();
    for (const end of ['', '-wal', '-shm']) rmSync(place.real + end, { force: true });
    const said = expect.stringContaining(`${place.database} (a link to ${place.real})`);
    expect(await place.runHere(['doctor'])).toMatchObject({ stdout: said });
    expect(await place.runHere(['backup', 'new.db'])).toMatchObject({ code: 2, stderr: said });
    expect(await place.runHere(['import', 'a.ndjson'])).toMatchObject({ code: 0 });
    expect(dump(place.real).activities).toHaveLength(50);
  });
});
