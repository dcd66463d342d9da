import { DatabaseSync } from 'node:sqlite';
import { RetryableError } from '#base';
import { BUSY_TIMEOUT_MS, MEMORY, READER_SETTINGS } from './database.ts';
import { translatingErrors } from './errors.ts';
import { type LedgerQueries, prepareLedger } from './snapshot.ts';

/** How often a commit may disturb a read of a database in memory before the read fails for now. */
const TRIES = 10;

/** A separate connection for long reads, so that they don't block other queries. */
export interface LedgerReader {
  /** Runs `work` on the ledger as of one moment. */
  inSnapshot<T>(work: (db: DatabaseSync, queries: LedgerQueries) => Promise<T>): Promise<T>;
  /** The same, for work that mustn't see anything newer than its head, even in memory. */
  inStillness<T>(work: (db: DatabaseSync, queries: LedgerQueries) => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * @param main a connection to the same database. One in memory has no second connection; commits
 * may then happen between two queries, which see them only beyond the newest batch of the head.
 */
export function openLedgerReader(main: DatabaseSync, file: string): LedgerReader {
  const isFile = file !== MEMORY;
  const db = isFile ? translatingErrors(file, () => openReader(file)) : main;
  const queries = translatingErrors(file, () => prepareLedger(db));

  async function inSnapshot<T>(
    work: (db: DatabaseSync, queries: LedgerQueries) => Promise<T>,
  ): Promise<T> {
    if (!isFile) return work(db, queries);
    translatingErrors(file, () => db.exec('BEGIN'));
    try {
      return await work(db, queries);
    } finally {
      if (db.isOpen && db.isTransaction) db.exec('ROLLBACK');
    }
  }

  return {
    inSnapshot,
    async inStillness(work) {
      if (isFile) {
        const result = await inSnapshot(work);
        // What long scans needed is of no use to later reads.
        db.exec('PRAGMA shrink_memory');
        return result;
      }
      for (let tries = 0; tries < TRIES; tries++) {
        const { newest } = queries.head();
        const result = await work(db, queries);
        if (queries.head().newest.uid === newest.uid) return result;
      }
      throw new RetryableError('The data is changing too fast to be loaded.');
    },
    close() {
      if (isFile && db.isOpen) db.close();
    },
  };
}

function openReader(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  db.exec(READER_SETTINGS);
  return db;
}
