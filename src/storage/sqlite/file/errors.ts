import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf, RetryableError, UserError } from '#base';

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

/**
 * Creates a database's folder and its parents. Not with Node's `recursive`, which loops forever if
 * the system says that a folder is missing but can't be created, as under /proc.
 * @param file the database, as configured
 * @throws UserError `wrong-configuration`
 */
export function makeFolder(folder: string, file: string): void {
  const missing: string[] = [];
  let above = folder;
  for (; statOf(above, file) === undefined; above = dirname(above)) missing.unshift(above);
  if (statOf(above, file)?.isDirectory() === false) {
    throw cannot(file, `${above} isn't a folder`);
  }
  for (const each of missing) {
    try {
      mkdirSync(each);
    } catch (error) {
      // Another process may have created it at the same moment.
      if (codeOf(error) !== 'EEXIST') throw cannot(file, why(error, each));
    }
  }
}

/** Why SQLite couldn't open the file for writing, phrased to follow "because". */
function whyNotWritable(file: string): string {
  const folder = dirname(file);
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) return 'it is a folder';
    if (found !== undefined) accessSync(file, constants.W_OK);
    // SQLite writes a journal next to the file.
    accessSync(folder, constants.W_OK);
    return `no file can be made in ${folder}`;
  } catch (error) {
    switch (codeOf(error)) {
      case 'EROFS':
        return `the disk of ${folder} is read-only`;
      case 'EACCES':
      case 'EPERM':
        return 'this user may not write it, or make files in its folder';
      default:
        return messageOf(error);
    }
  }
}

function statOf(path: string, file: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw cannot(file, why(error, path));
  }
}

function why(error: unknown, folder: string): string {
  switch (codeOf(error)) {
    case 'EROFS':
      return `the disk of ${folder} is read-only`;
    case 'EACCES':
    case 'EPERM':
      return `this user may not create or enter the folder ${folder}`;
    default:
      return `the folder ${folder} can't be created: ${messageOf(error)}`;
  }
}

function cannot(file: string, reason: string): UserError {
  return new UserError(
    'wrong-configuration',
    `DATABASE_URL: can't create ${file}, because ${reason}. Use a file that this user may write.`,
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
