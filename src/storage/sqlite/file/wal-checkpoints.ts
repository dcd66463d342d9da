import { once } from 'node:events';
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { type Logger, messageOf, monotonicMs, ProblemLog } from '#base';
import { within } from '#base/waiting';
import { changesOn, withoutWaiting } from '#storage/sqlite/database';
import { translateError } from './errors.ts';
import { realFile } from './owner.ts';

export interface WalCheckpointThreadData {
  readonly file: string;
  /** The statement that empties the log; undefined to copy it alone. */
  readonly truncating: string | undefined;
  /** What it ends with if others kept it from emptying the log. */
  readonly leftCode: number;
}

/** Its row says whether others kept it from that, which is no error to SQLite. */
const TRUNCATE = 'PRAGMA wal_checkpoint(TRUNCATE)';
/** Unlike what Node itself ends threads with. */
const LEFT_CODE = 75;

/** Milliseconds between two looks at the log. */
const EVERY_MS = 30_000;
/** Rows that this connection changes before the log is copied although others write. */
const MANY_ROWS = 1_000;
/** Milliseconds after which it's copied in any case. */
const LONGEST_MS = 300_000;
/** Milliseconds that anybody waits for one: it waits for the disk. */
const PATIENCE_MS = 2_000;

/**
 * Copies the write-ahead log into the file. For a connection that serves, on a thread of its own, in place of its
 * commits: by default, SQLite does that in whatever commit finds the log long. After an import by another process
 * that is up to a gigabyte, and nobody is answered while the disk is waited for.
 *
 * While another process writes, it's left to that one: an import copies a page once that it writes ten times, and
 * whoever reads waits for the same disk.
 */
export class WalCheckpoints {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #trouble: ProblemLog;
  #timer: NodeJS.Timeout | undefined;
  /** When the log had last been written, as of the last look. */
  #seenAt: number | undefined;
  /** The same as of the last time that it was copied. */
  #copiedAt: number | undefined;
  #changes = 0;
  #copiedMs = monotonicMs();
  #running: Promise<unknown> = Promise.resolve();
  #truncating: Promise<boolean> | undefined;

  /** @param db of the file */
  constructor(db: DatabaseSync, file: string, log: Logger) {
    this.#db = db;
    this.#file = realFile(file);
    this.#trouble = new ProblemLog(log);
  }

  /** Takes over from the connection's commits. */
  begin(): void {
    this.#db.exec('PRAGMA wal_autocheckpoint = 0');
    this.#timer ??= setInterval(() => this.#look(), EVERY_MS).unref();
  }

  /** Copies the log and empties it. Never rejects. @returns false if others read or write it, or it takes too long */
  async truncate(): Promise<boolean> {
    if (this.#timer === undefined) return this.truncateNow();
    this.#truncating ??= this.#running.then(() => {
      this.#truncating = undefined;
      return this.#inThread(TRUNCATE);
    });
    this.#running = this.#truncating;
    return (await within(this.#truncating, PATIENCE_MS)) === true;
  }

  /** The same on this thread. */
  truncateNow(): boolean {
    try {
      const row = withoutWaiting(this.#db, () => this.#db.prepare(TRUNCATE).get());
      return Number(row?.busy) === 0;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  /** Begins no more. @returns once the last one is over, or takes too long */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await within(this.#running, PATIENCE_MS);
  }

  #look(): void {
    const at = statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.mtimeMs;
    if (at === undefined || at === this.#copiedAt) return;
    const isStill = at === this.#seenAt;
    this.#seenAt = at;
    const [now, changes] = [monotonicMs(), changesOn(this.#db)];
    const isDue = changes - this.#changes >= MANY_ROWS || now - this.#copiedMs >= LONGEST_MS;
    if (!isStill && !isDue) return;
    this.#copiedAt = at;
    this.#copiedMs = now;
    this.#changes = changes;
    this.#running = this.#running.then(() => this.#inThread(undefined));
  }

  /** @returns false if it's left, at least in part */
  async #inThread(truncating: string | undefined): Promise<boolean> {
    const workerData: WalCheckpointThreadData = {
      file: this.#file,
      truncating,
      leftCode: LEFT_CODE,
    };
    try {
      const script = new URL('./wal-checkpoint-worker.ts', import.meta.url);
      const worker = new Worker(script, { name: 'checkpoint', workerData });
      // The log stays, and is copied later.
      worker.unref();
      const [code] = await once(worker, 'exit');
      this.#trouble.resolve("the database's log is copied into it again");
      return code !== LEFT_CODE;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  #failed(error: unknown): void {
    this.#copiedAt = undefined;
    const reason = messageOf(translateError(error, this.#file));
    const text = "could not copy the database's log into it, so that it grows; retrying";
    this.#trouble.report('failed', 'warn', { reason }, text);
  }
}
