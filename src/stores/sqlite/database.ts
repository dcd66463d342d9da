import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { translatingErrors } from './errors.ts';
import { makeFolder } from './folder.ts';
import { migrate, requireOurs } from './migrate.ts';

export const MEMORY = ':memory:';

/** How long a write waits for another process's transaction before it says "locked". */
export const BUSY_TIMEOUT_MS = 5_000;
/** Reads come from the system's own cache of the file; a writer asks for more. */
const CACHE_KIB = 8 * 1024;
/** The write-ahead log is cut back to this after a big transaction. */
const WAL_LIMIT_BYTES = 64 * 1024 * 1024;

/** Of a connection that only reads what lies together, so that no page is needed twice. */
export const READER_SETTINGS = 'PRAGMA cache_size = -1024; PRAGMA temp_store = MEMORY';

/**
 * Opens a file (made if it isn't there, with its folder), brings it to the newest schema and sets
 * it up for one writer and many readers. `:memory:` is a database of this connection's own.
 * @throws UserError `wrong-configuration` for a file that is damaged, not ours or newer
 * @throws RetryableError when it is locked
 */
export function openDatabase(file: string): DatabaseSync {
  return translatingErrors(file, () => {
    if (file !== MEMORY) makeFolder(dirname(resolve(file)), file);
    const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      requireOurs(db, file);
      db.exec(`
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        PRAGMA cache_size = -${CACHE_KIB};
        PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES};
        PRAGMA temp_store = MEMORY;
        PRAGMA secure_delete = ON;
      `);
      migrate(db);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** Runs `work` in a write transaction: all of it is in, or nothing. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk has rolled it back already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
