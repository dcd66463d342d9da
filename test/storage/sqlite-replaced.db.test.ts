import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase, transaction } from '#storage/sqlite/database';
import { replaceDatabase } from '#storage/sqlite/file/restore';
import { isServed, markServed } from '#storage/sqlite/serving';

const onRename = { to: (_: string) => {} };
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  onRename.to(String(to));
  renameSync(from, to);
};
syncBuiltinESMExports();
afterAll(() => {
  fs.renameSync = renameSync;
  syncBuiltinESMExports();
});

/** Two databases, of which the second has no log. */
function twoFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-replaced-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, copy] = [join(folder, 'fathom.db'), join(folder, 'copy.db')];
  for (const each of [file, copy]) openDatabase(each).close();
  return { file, copy, aside: join(folder, 'aside.db') };
}

/** Calls `then` just before the next call of a database's method. */
function justBefore(method: 'prepare' | 'exec', sql: string, then: () => void): void {
  const { [method]: original } = DatabaseSync.prototype;
  const spy = vi.spyOn(DatabaseSync.prototype, method);
  onTestFinished(() => spy.mockRestore());
  spy.mockImplementation(function (this: DatabaseSync, text: string) {
    if (text.startsWith(sql)) {
      spy.mockRestore();
      then();
    }
    return original.call(this, text) as never;
  });
}

const REPLACED = /deleted or replaced while in use/;

it('nobody gets into a database while a restore replaces it, nor is its log left', () => {
  const { file, copy, aside } = twoFiles();
  const tried: unknown[] = [];
  onRename.to = (to) => {
    expect(to).toBe(file);
    const other = new DatabaseSync(file, { timeout: 0 });
    try {
      tried.push(other.prepare('SELECT count(*) AS n FROM wallet').get()?.n);
    } catch (error) {
      tried.push((error as Error).message);
    } finally {
      other.close();
    }
  };
  onTestFinished(() => {
    onRename.to = () => {};
  });
  replaceDatabase(copy, file, aside);
  expect(tried).toEqual(['database is locked']);
  for (const each of [file, aside]) openDatabase(each).close();
});

it('the log of a database that is gone is kept beside the one that takes its place', () => {
  const { file, copy, aside } = twoFiles();
  rmSync(file);
  writeFileSync(`${file}-wal`, 'what the lost one had not written yet');
  replaceDatabase(copy, file, aside);
  expect(readFileSync(`${aside}-wal`, 'utf8')).toBe('what the lost one had not written yet');
  openDatabase(file).close();
});

it('a mark of serving goes with its process, and never from under the next one', () => {
  const { file } = twoFiles();
  const mark = `${file}-served`;
  const first = markServed(file);
  expect([fs.existsSync(mark), isServed(file)]).toEqual([true, true]);
  // It leaves after the second has opened the mark.
  justBefore('exec', 'BEGIN', first);
  const second = markServed(file);
  expect([fs.existsSync(mark), isServed(file)]).toEqual([true, true]);
  expect(() => markServed(file)).toThrow('Another process serves');
  second();
  expect([fs.existsSync(mark), isServed(file), fs.existsSync(mark)]).toEqual(Array(3).fill(false));
});

it('A SQLite file that was replaced after it was opened gives nothing to its reader', () => {
  const { file, copy } = twoFiles();
  justBefore('prepare', 'PRAGMA', () => renameSync(copy, file));
  expect(() => openDatabase(file)).toThrow(REPLACED);
});

it('a write that waited while the file was replaced fails', () => {
  const { file, copy } = twoFiles();
  const db = openDatabase(file);
  onTestFinished(() => db.close());
  justBefore('exec', 'BEGIN', () => renameSync(copy, file));
  let isCalled = false;
  const write = () => {
    isCalled = true;
  };
  expect(() => transaction(db, write)).toThrow(REPLACED);
  expect([isCalled, db.isTransaction]).toEqual([false, false]);
});
