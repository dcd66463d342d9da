import { resolve } from 'node:path';
import { RetryableError, UserError } from '#base';
import { whyNotWritable } from './folder.ts';

/** SQLite result codes that we handle separately (https://sqlite.org/rescode.html). */
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** The primary result code of an SQLite error, or undefined. */
function sqliteCode(error: unknown): number | undefined {
  // `code` is always ERR_SQLITE_ERROR; the low byte of `errcode` tells them apart.
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** Whether another connection, of this process or another one, holds the lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY;
}

export function isFull(error: unknown): boolean {
  return sqliteCode(error) === FULL;
}

/** Files that this process has found to be damaged: most reads find nothing, as they need other pages. */
const damaged = new Set<string>();

/** Whether any read since the file was opened has found damage. */
export function isDamaged(file: string): boolean {
  return damaged.has(file);
}

/** @throws UserError `wrong-configuration` if any read since the file was opened has found damage */
export function requireUndamaged(file: string): void {
  if (isDamaged(file)) throw damageOf(file);
}

/** To be called once a file has been opened and examined. */
export function trustFile(file: string): void {
  damaged.delete(file);
}

function damageOf(file: string): UserError {
  return new UserError(
    'wrong-configuration',
    `${file} is corrupt or isn't an SQLite database. We left it unchanged; restore a backup, or set DATABASE_URL to another file.`,
  );
}

/**
 * Translates an SQLite error into what the caller can do about it; other errors are returned as
 * they are.
 */
export function translateError(error: unknown, file: string): unknown {
  switch (sqliteCode(error)) {
    case BUSY:
    case LOCKED:
      return new RetryableError(
        `Another program has locked ${file}. Wait until it's done, or stop it.`,
        { cause: error },
      );
    case FULL:
      return new RetryableError(
        `The disk of ${file} is full. Free some space; what was committed is safe.`,
        { retryAfter: 30, cause: error },
      );
    case IOERR:
      return new RetryableError(`${file} can't be read or written (I/O error). Check the disk.`, {
        retryAfter: 30,
        cause: error,
      });
    case READONLY:
    case CANTOPEN:
      return new UserError(
        'wrong-configuration',
        `DATABASE_URL: ${resolve(file)} can't be opened for writing, because ${whyNotWritable(resolve(file))}. Name a file where this user may write.`,
      );
    case CORRUPT:
    case NOTADB:
      damaged.add(file);
      return damageOf(file);
    default:
      return error;
  }
}

/** Runs `work` and translates its errors with `explain`. */
export function translatingErrors<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translateError(error, file);
  }
}
