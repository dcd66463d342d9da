import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MaybePromise, monotonicMs, RetryableError } from '#base';
import { within } from '#base/waiting';
import { changesOn, transaction, withoutWaiting } from './database.ts';
import { isBusy, translateError } from './file/errors.ts';

/**
 * Milliseconds that a write waits. An import into a large file holds the lock for a few seconds at a time, which is
 * about as long as SQLite's own waiting may hold up a thread.
 */
const PATIENCE_MS = 10_000;
/** The same at the end of the process. */
const LAST_PATIENCE_MS = 2_000;
/** Milliseconds between two attempts: short, as an import leaves the file free for moments only. */
const AGAIN_MS = 10;

/** The last write that waits, of each connection that has any. */
const waiting = new WeakMap<DatabaseSync, Promise<unknown>>();

/**
 * Runs `work` in a transaction: at once if nobody else writes to the file, otherwise as soon as nobody does, after
 * the writes of this connection that wait already. The thread isn't held up meanwhile, as it would be by SQLite's
 * own waiting: reads go on.
 * @param work may write nothing
 * @throws RetryableError after PATIENCE_MS, or once the connection is closed; see `translateError`
 */
export function inTurn<T>(db: DatabaseSync, file: string, work: () => T): MaybePromise<T> {
  if (waiting.has(db)) return afterOthers(db, file, work);
  try {
    return attempt(db, work);
  } catch (error) {
    if (isBusy(error)) return afterOthers(db, file, work);
    throw translateError(error, file);
  }
}

/** Resolves once no write of the connection waits any more, or it's time to close it. */
export async function allWritten(db: DatabaseSync): Promise<void> {
  const last = Promise.resolve(waiting.get(db)).catch(() => undefined);
  await within(last, LAST_PATIENCE_MS);
}

function afterOthers<T>(db: DatabaseSync, file: string, work: () => T): Promise<T> {
  const until = monotonicMs() + PATIENCE_MS;
  const before = waiting.get(db);
  const writing = (async () => {
    // Theirs is to fail for them alone.
    await before?.catch(() => undefined);
    for (;;) {
      if (!db.isOpen) throw new RetryableError('The service is stopping.');
      try {
        return attempt(db, work);
      } catch (error) {
        if (!isBusy(error) || monotonicMs() >= until) throw translateError(error, file);
      }
      await sleep(AGAIN_MS);
    }
  })();
  waiting.set(db, writing);
  const leave = () => {
    if (waiting.get(db) === writing) waiting.delete(db);
  };
  writing.then(leave, leave);
  return writing;
}

function attempt<T>(db: DatabaseSync, work: () => T): T {
  const before = changesOn(db);
  return withoutWaiting(db, () => transaction(db, work, () => changesOn(db) !== before));
}
