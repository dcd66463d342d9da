import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { checkSqliteFile } from '#cli/doctor/database';
import { openDatabase, transaction } from '#storage/sqlite/database';
import { hasForeignLog, requireOwnLog } from '#storage/sqlite/file/lineage';
import { migrate } from '#storage/sqlite/migrate';
import { MIGRATIONS } from '#storage/tables/migrations';
import { temporaryFolder } from '../support/import-cli.ts';

/** Before there were stamps. */
const RELEASED = { ...MIGRATIONS.sqlite, steps: [MIGRATIONS.sqlite.steps[0]] } as const;
const ADD = `INSERT INTO wallet (address, chain) VALUES (lower(hex(randomblob(20))), 0)`;

function add(db: DatabaseSync, wallets = 1): void {
  for (let i = 0; i < wallets; i++) transaction(db, () => db.exec(ADD));
}

/** What a process leaves that is killed now: its file, and its log. */
function crash(file: string): { main: Buffer; log: Buffer } {
  return { main: readFileSync(file), log: readFileSync(`${file}-wal`) };
}

function laid(parts: { main: Buffer; log: Buffer }): string {
  const file = join(temporaryFolder(), 'laid.db');
  writeFileSync(file, parts.main);
  writeFileSync(`${file}-wal`, parts.log);
  return file;
}

/** A database whose log began when it had `before` wallets. */
function database(before: number, file = join(temporaryFolder(), 'fathom.db')) {
  const db = openDatabase(file);
  add(db, before);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return { db, file };
}

describe('the log beside a file', () => {
  it('is taken for its own after a crash, wherever a checkpoint was cut off', () => {
    const { db, file } = database(5);
    add(db, 3);
    const { main, log } = crash(file);
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    const done = crash(file).main;
    // As many pages as were written before the end.
    for (let at = 0; at <= main.length; at += 4096) {
      const partly = Buffer.concat([done.subarray(0, at), main.subarray(at)]);
      expect(hasForeignLog(laid({ main: partly, log }))).toBe(false);
    }
    db.close();
  });

  it('is refused beside an earlier copy of the same database', () => {
    const { db, file } = database(5);
    const early = readFileSync(file);
    add(db, 2);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    add(db, 2);
    const mixed = laid({ main: early, log: crash(file).log });
    db.close();
    expect(() => openDatabase(mixed)).toThrow(/-wal belongs to another database/);
    expect(readFileSync(mixed)).toEqual(early);
    expect(existsSync(`${mixed}-shm`)).toBe(false);
  });

  it("is refused beside another instance's database, and one from before stamps", () => {
    const { db, file } = database(5);
    add(db, 2);
    const { log } = crash(file);
    db.close();
    const other = database(5);
    other.db.close();
    expect(hasForeignLog(laid({ main: readFileSync(other.file), log }))).toBe(true);

    const old = join(temporaryFolder(), 'old.db');
    const before = new DatabaseSync(old);
    migrate(before, RELEASED);
    before.close();
    expect(hasForeignLog(laid({ main: readFileSync(old), log }))).toBe(true);
  });

  it.each(['missing', 'empty'])('is refused, and kept, if the file is %s', (state) => {
    // Of a young database: its log begins with the first stamp of all.
    const { db, file } = database(0);
    add(db, 2);
    const { log } = crash(file);
    db.close();
    const gone = laid({ main: Buffer.alloc(0), log });
    if (state === 'missing') rmSync(gone);
    expect(() => openDatabase(gone)).toThrow(`${gone} is ${state}, but its log`);
    expect(readFileSync(`${gone}-wal`)).toEqual(log);
    expect(existsSync(gone)).toBe(state === 'empty');
    expect(checkSqliteFile(gone).findings[0]).toMatchObject({ subject: 'database', level: 'fail' });
  });

  it('is taken for its own if the upgrade is in it', () => {
    const file = join(temporaryFolder(), 'old.db');
    const before = new DatabaseSync(file);
    before.exec('PRAGMA journal_mode = WAL');
    migrate(before, RELEASED);
    before.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    migrate(before);
    add(before, 2);
    expect(hasForeignLog(laid(crash(file)))).toBe(false);
    before.close();
  });

  it('is never refused while another process writes and checkpoints', async () => {
    const { db, file } = database(1);
    for (let round = 0; round < 200; round++) {
      add(db);
      requireOwnLog(file);
      if (round % 3 === 0) db.exec('PRAGMA wal_checkpoint(RESTART)');
      if (round % 7 === 0) db.exec('PRAGMA wal_checkpoint(PASSIVE)');
      requireOwnLog(file);
    }
    db.close();
  });

  it('is not judged by a wallet that is named like a stamp', () => {
    const { db, file } = database(1);
    const name = `fathom-lineage:${'1'.repeat(16)}:${'2'.repeat(16)}`;
    transaction(db, () =>
      db.prepare('INSERT INTO name (wallet, display_name, revision) VALUES (1, ?, 1)').run(name),
    );
    const { log, main } = crash(file);
    db.close();
    expect(hasForeignLog(laid({ main, log }))).toBe(false);
  });

  it('is none after a copy of file and log together', () => {
    const { db, file } = database(2);
    add(db, 2);
    const copy = join(temporaryFolder(), 'copy.db');
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    db.close();
    const opened = openDatabase(copy);
    expect(opened.prepare('SELECT count(*) AS n FROM wallet').get()?.n).toBe(4);
    opened.close();
  });
});
