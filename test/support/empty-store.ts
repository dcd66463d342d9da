import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { configureConnection, MEMORY, openDatabase } from '#storage/sqlite/database';
import { createSqliteStore, type SqliteOptions } from '#storage/sqlite/open';
import type { Store } from '#storage/store';
import { silentLog } from './log.ts';

/** Empty stores as copies of one: thousands of tests need one, and migrating it takes ten times as long. */

let migrated: Uint8Array | undefined;

function migratedBytes(): Uint8Array {
  if (migrated === undefined) {
    const db = openDatabase(MEMORY);
    migrated = db.serialize();
    db.close();
  }
  return migrated;
}

/** Opens an empty store in memory, as `sqlite::memory:` does. */
export function openMemoryStore(options: Partial<SqliteOptions> = {}): Store {
  const db = new DatabaseSync(MEMORY);
  db.deserialize(migratedBytes());
  configureConnection(db);
  return createSqliteStore(db, MEMORY, {
    thresholds: DEFAULT_THRESHOLDS,
    log: silentLog,
    ...options,
  });
}

/** Creates the file of an empty store. */
export function makeStoreFile(file: string): void {
  writeFileSync(file, migratedBytes(), { flag: 'wx' });
}
