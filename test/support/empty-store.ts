import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { configureConnection, MEMORY, openDatabase } from '#storage/sqlite/database';
import { migrate } from '#storage/sqlite/migrate';
import { createSqliteStore, type SqliteOptions } from '#storage/sqlite/open';
import type { Store } from '#storage/store';
import { silentLog } from './log.ts';

/** Empty stores as copies of one: thousands of tests need one, and migrating it takes ten times as long. */

let inFile: Uint8Array | undefined;
let inMemory: Uint8Array | undefined;

function bytesInFile(): Uint8Array {
  if (inFile === undefined) {
    const db = openDatabase(MEMORY);
    inFile = db.serialize();
    db.close();
  }
  return inFile;
}

/** Of small pages: nearly all are empty, and to copy large ones takes longer than all else that opens a store. */
function bytesInMemory(): Uint8Array {
  if (inMemory === undefined) {
    const db = new DatabaseSync(MEMORY);
    db.exec('PRAGMA page_size = 1024');
    configureConnection(db);
    migrate(db);
    inMemory = db.serialize();
    db.close();
  }
  return inMemory;
}

/** Opens an empty store in memory, as `sqlite::memory:` does. */
export function openMemoryStore(options: Partial<SqliteOptions> = {}): Store {
  const db = new DatabaseSync(MEMORY);
  db.deserialize(bytesInMemory());
  configureConnection(db);
  return createSqliteStore(db, MEMORY, {
    thresholds: DEFAULT_THRESHOLDS,
    log: silentLog,
    ...options,
  });
}

/** A part of an empty store, opened once it's used: most tests of chats never ask all that they start with. */
export function partOfMemoryStore<Name extends 'gating' | 'links'>(name: Name): Store[Name] {
  let part: Store[Name] | undefined;
  return new Proxy({} as Store[Name], {
    get(_, method) {
      part ??= openMemoryStore()[name];
      return Reflect.get(part, method);
    },
  });
}

/** Creates the file of an empty store. */
export function makeStoreFile(file: string): void {
  writeFileSync(file, bytesInFile(), { flag: 'wx' });
}
