import { DatabaseSync } from 'node:sqlite';
import { statIfThere } from '#base/process';
import { openDatabase } from '#storage/sqlite/database';
import { translatingErrors } from '#storage/sqlite/file/errors';
import { requireOwnLog } from '#storage/sqlite/file/lineage';
import { requireOurs } from '#storage/sqlite/migrate';
import { isServed } from '#storage/sqlite/serving';
import {
  BATCH_ROWS,
  MOVED_TABLES,
  notEmpty,
  type StoreContents,
  selectOf,
  type TransferKind,
  type TransferRow,
  type TransferSource,
  type TransferTable,
  type TransferTarget,
} from './endpoint.ts';

/** Room for the ledger's index, which rows access at random. */
const TARGET_CACHE_KIB = 256 * 1024;

export const sqliteEnd: TransferKind = {
  nameOf: (file) => file,
  async inspect(file) {
    if (statIfThere(file) === undefined) return 'nothing';
    return translatingErrors(file, () => {
      requireOwnLog(file);
      // Not read-only: the first read must roll back what a killed program left behind.
      const db = new DatabaseSync(file, { timeout: 1_000 });
      try {
        requireOurs(db, file);
        return contentsOf(db);
      } finally {
        db.close();
      }
    });
  },
  isServed: async (file) => isServed(file),
  servedAfterKill: 0,
  openSource: async (file) => translatingErrors(file, () => source(file)),
  openTarget: async (file) => translatingErrors(file, () => target(file)),
};

function contentsOf(db: DatabaseSync): StoreContents {
  const names = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  const there = new Set(names.map(({ name }) => name));
  const tables = MOVED_TABLES.filter(({ name }) => there.has(name));
  if (tables.length === 0) return 'nothing';
  const isFilled = tables.some(({ name }) => db.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get());
  return isFilled ? 'filled' : 'empty';
}

function source(file: string): TransferSource {
  const db = openDatabase(file);
  db.exec('BEGIN');
  return {
    async count({ name }) {
      return translatingErrors(file, () =>
        Number(db.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n),
      );
    },
    rows: (table) => batchesOf(db, file, table),
    async [Symbol.asyncDispose]() {
      db.close();
    },
  };
}

function target(file: string): TransferTarget {
  const db = openDatabase(file);
  try {
    // A rollback journal holds the few pages that existed before; the write-ahead log would write
    // everything twice. Nobody else can have the file open meanwhile.
    db.exec(`
      PRAGMA journal_mode = DELETE;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -${TARGET_CACHE_KIB};
      BEGIN IMMEDIATE`);
    if (contentsOf(db) === 'filled') throw notEmpty(file);
  } catch (error) {
    db.close();
    throw error;
  }
  return {
    rows: (table) => batchesOf(db, file, table),
    async write({ name, columns }, rows) {
      const places = Object.keys(columns);
      const sql = `INSERT INTO ${name} (${places.join(', ')}) VALUES (${places.map(() => '?').join(', ')})`;
      translatingErrors(file, () => {
        const insert = db.prepare(sql);
        for (const row of rows) insert.run(...row);
      });
    },
    async commit() {
      translatingErrors(file, () => db.exec('COMMIT; PRAGMA optimize; PRAGMA journal_mode = WAL'));
    },
    async [Symbol.asyncDispose]() {
      db.close();
    },
  };
}

async function* batchesOf(
  db: DatabaseSync,
  file: string,
  table: TransferTable,
): AsyncGenerator<TransferRow[]> {
  const statement = db.prepare(selectOf(table));
  statement.setReturnArrays(true);
  // Node's types know rows as objects alone.
  const rows = statement.iterate() as unknown as Iterator<TransferRow>;
  try {
    for (let batch = take(rows); batch.length > 0; batch = take(rows)) yield batch;
  } finally {
    // Otherwise an aborted iteration would still be running when the database is closed.
    rows.return?.();
  }

  function take(from: Iterator<TransferRow>): TransferRow[] {
    const batch: TransferRow[] = [];
    translatingErrors(file, () => {
      while (batch.length < BATCH_ROWS) {
        const { done, value } = from.next();
        if (done) break;
        batch.push(value);
      }
    });
    return batch;
  }
}
