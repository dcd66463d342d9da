import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type Logger, RetryableError } from '#base';
import { statIfThere } from '#base/process';
import type { Row } from '#storage/sql/script';
import { MIGRATIONS, newestVersion, sayUpgrade } from '#storage/tables/migrations';
import { makeFolder, requireWritable, translatingErrors, trustFile } from './file/errors.ts';
import { requireOwnLog, stamp } from './file/lineage.ts';
import { createPrivately, realFile } from './file/owner.ts';
import { migrate, requireOurs, schemaVersion } from './migrate.ts';

export const MEMORY = ':memory:';

/** How long a write waits for another process's transaction before it fails as locked. */
export const BUSY_TIMEOUT_MS = 5_000;
/** Reads use the operating system's file cache; a writer sets a larger one. */
const CACHE_KIB = 8 * 1024;
/** The write-ahead log is truncated to this after a big transaction. */
const WAL_LIMIT_BYTES = 64 * 1024 * 1024;

/** For a connection that only reads contiguous data, so that no page is needed twice. */
export const READER_SETTINGS = 'PRAGMA cache_size = -1024; PRAGMA temp_store = MEMORY';

/**
 * Opens a file (creating it and its folder if missing), migrates it to the newest schema and sets
 * it up for one writer and many readers. `:memory:` is a database private to the connection.
 * @param log told of an upgrade
 * @throws UserError `wrong-configuration` for a file that is damaged, not ours or newer, or whose log isn't
 * its own
 * @throws RetryableError if it is locked
 */
export function openDatabase(file: string, log?: Logger): DatabaseSync {
  if (file === MEMORY) return openInMemory();
  return translatingErrors(file, () => {
    makeFolder(dirname(resolve(file)), file);
    requireOwnLog(file);
    createPrivately(realFile(file));
    const isGone = watchFile(file);
    const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      watched.set(db, isGone);
      requireOurs(db, file);
      requireWritable(file);
      // It has waited for a restore, if one was replacing the file. A log would be the new file's from here on.
      requireFile(db);
      configureConnection(db);
      if (log !== undefined) sayUpgrade(log, schemaVersion(db), newestVersion(MIGRATIONS.sqlite));
      migrate(db);
      trustFile(file);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

let emptyInMemory: Uint8Array | undefined;

/** All but the first are copies: the playground has one a page, and making the tables takes most of the time of that. */
function openInMemory(): DatabaseSync {
  const db = new DatabaseSync(MEMORY);
  if (emptyInMemory !== undefined) db.deserialize(emptyInMemory);
  configureConnection(db);
  migrate(db);
  emptyInMemory ??= db.serialize();
  return db;
}

/** Sets a connection up for one writer and many readers. */
export function configureConnection(db: DatabaseSync): void {
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA cache_size = -${CACHE_KIB};
    PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES};
    PRAGMA temp_store = MEMORY;
    PRAGMA secure_delete = ON;
  `);
}

/**
 * Runs writes that fail at once while another process writes: waiting for its lock would hold up
 * everything else that this process does.
 */
export function withoutWaiting<T>(db: DatabaseSync, work: () => T): T {
  db.exec('PRAGMA busy_timeout = 0');
  try {
    return work();
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Whether the file of each connection was deleted or replaced: an open file stays open all the same. */
const watched = new WeakMap<DatabaseSync, () => boolean>();

function watchFile(file: string): () => boolean {
  const then = statIfThere(file);
  // SQLite says why it can't be made.
  if (then === undefined) return () => false;
  return () => {
    const now = statSync(file, { throwIfNoEntry: false });
    return now?.dev !== then.dev || now.ino !== then.ino;
  };
}

/**
 * Called before a file is read again or written: a restart would lose what is written to a deleted file.
 * @throws RetryableError if it was deleted or replaced
 */
export function requireFile(db: DatabaseSync): void {
  if (watched.get(db)?.() !== true) return;
  throw new RetryableError(
    `${db.location()} was deleted or replaced while in use. Restart Fathom to serve the new data.`,
    { retryAfter: 30 },
  );
}

/**
 * Runs `work` in a write transaction: commits all of it or nothing.
 * @param isWritten whether anything was, as far as `work` may write nothing
 * @throws RetryableError
 */
export function transaction<T>(
  db: DatabaseSync,
  work: () => T,
  isWritten: () => boolean = () => true,
): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    // Only now: the file may have been replaced while this waited.
    requireFile(db);
    const result = work();
    if (isWritten()) stamp(db);
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk has rolled it back already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

const counters = new WeakMap<DatabaseSync, StatementSync>();

/** Rows that the connection has changed so far. */
export function changesOn(db: DatabaseSync): number {
  let counter = counters.get(db);
  if (counter === undefined) {
    counter = db.prepare('SELECT total_changes() AS n');
    counters.set(db, counter);
  }
  return Number(counter.get()?.n);
}

/** Rows as arrays in column order, which are twice as fast as objects; Node's types know only those. */
export function rowsOf<T extends unknown[]>(
  statement: StatementSync,
  ...values: readonly SQLInputValue[]
): T[] {
  return arraysOf(statement).all(...values) as unknown as T[];
}

/** Makes a statement return rows as arrays. */
export function arraysOf(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}

/**
 * Prepares each statement of a connection on first use; there are only as many as in the code. The
 * first value is `$1`.
 */
export function preparing(db: DatabaseSync) {
  const prepared = {
    rows: new Map<string, StatementSync>(),
    arrays: new Map<string, StatementSync>(),
    changes: new Map<string, StatementSync>(),
  };
  return (sql: string, wants: keyof typeof prepared = 'rows'): StatementSync => {
    const known = prepared[wants].get(sql);
    if (known !== undefined) return known;
    const fresh = db.prepare(sql.replace(/\$(\d)/g, '?$1'));
    fresh.setReturnArrays(wants === 'arrays');
    prepared[wants].set(sql, fresh);
    return fresh;
  };
}

/** A value as SQLite takes it: a list as the JSON that `json_each` reads. */
export function storable(value: unknown): SQLInputValue {
  if (value === undefined) return null;
  return Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue);
}

/** Asks for rows on one connection. */
export function askOn(db: DatabaseSync): (sql: string, values: readonly unknown[]) => Row[] {
  const prepare = preparing(db);
  return (sql, values) => prepare(sql).all(...values.map(storable));
}
