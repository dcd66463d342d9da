import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { workerData } from 'node:worker_threads';
import type { WalCheckpointThreadData } from './wal-checkpoints.ts';

/** The thread that copies the write-ahead log into the file, once. */

/** Milliseconds that truncating waits for others who read or write: they wait as well. */
const PATIENCE_MS = 500;

const { file, truncating, leftCode } = workerData as WalCheckpointThreadData;
const url = pathToFileURL(file);
// One that is gone isn't made anew.
url.searchParams.set('mode', 'rw');
let isLeft = false;
const db = new DatabaseSync(url, { timeout: PATIENCE_MS });
try {
  // Until it has read, a connection doesn't know of the log.
  db.exec('SELECT 1 FROM sqlite_schema LIMIT 1');
  // Most of it without a lock that keeps others from writing.
  db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  if (truncating !== undefined) isLeft = Number(db.prepare(truncating).get()?.busy) > 0;
} finally {
  db.close();
}
if (isLeft) process.exit(leftCode);
