import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, RetryableError, UserError } from '#base';
import { outOfFiles, systemCodeOf, whyNoMoreFiles } from '#base/process';
import { realFile, whyLinkBroken } from './owner.ts';

/** SQLite result codes that we handle separately (https://sqlite.org/rescode.html). */
const ERROR = 1;
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

/** Whether a file can't be opened, read or written, and not for want of room. SQLite doesn't say which one. */
export function isIoFault(error: unknown): boolean {
  return [IOERR, READONLY, CANTOPEN].includes(sqliteCode(error) ?? ERROR);
}

/** Extended codes of what only happens to a file that is written: WRITE, FSYNC, DIR_FSYNC, TRUNCATE, DELETE. */
const WRITING: ReadonlySet<unknown> = new Set([778, 1_034, 1_290, 1_546, 2_570]);

/** Whether it's a write that has failed. */
export function isWriteFault(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && WRITING.has(error.errcode);
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

/** What a disk can't read is damage to SQLite, which doesn't say why. */
function damageOf(file: string): UserError {
  return new UserError(
    'wrong-configuration',
    `${file} is corrupt, or its disk fails to read it, of which the system's log (dmesg) then has I/O errors. We left it unchanged: check the disk, and start again if it's in order by then; otherwise restore a backup, or set DATABASE_URL to another file.`,
  );
}

function notADatabase(file: string): UserError {
  return new UserError(
    'wrong-configuration',
    `${file} isn't an SQLite database. We left it unchanged; restore a backup, or set DATABASE_URL to another file.`,
  );
}

/**
 * Translates an SQLite error into what the caller can do about it; other errors are returned as
 * they are.
 */
export function translateError(error: unknown, file: string): unknown {
  switch (sqliteCode(error)) {
    case ERROR:
      return UNLIKE.test(messageOf(error)) ? unlikeTables(file, error) : error;
    case BUSY:
    case LOCKED:
      return new RetryableError(
        `Another program has locked ${file}. Wait until it's done, or stop it.`,
        { cause: error },
      );
    case FULL:
      return diskIsFull(file, error);
    case IOERR:
    case READONLY:
    case CANTOPEN:
      return cannotWrite(file, error);
    case CORRUPT:
    case NOTADB:
      damaged.add(file);
      return sqliteCode(error) === NOTADB ? notADatabase(file) : damageOf(file);
    default:
      return error;
  }
}

/** What SQLite says, without a code of its own, where tables aren't those of the version that the file names. */
const UNLIKE =
  /^no such (?:table|column|index): |already exists$|^duplicate column name: | has no column named /;

function unlikeTables(file: string, cause: unknown): UserError {
  return new UserError(
    'wrong-configuration',
    `${file} has other tables than those of the version that it names (${messageOf(cause)}), as after a change by hand. Restore a backup.`,
    [],
    { cause },
  );
}

function diskIsFull(file: string, cause: unknown): RetryableError {
  const words = `The disk of ${file} is full. Free some space; what was committed is safe.`;
  return new RetryableError(words, { retryAfter: 30, cause });
}

/** SQLite opens a database, its log, the index of that, and their folder. */
const FILES_AT_ONCE = 8;

/**
 * What SQLite calls an I/O error or a file that it can't open is often a disk that is full or read-only, or a process
 * that may open no more files.
 */
function cannotWrite(file: string, cause: unknown): UserError | RetryableError {
  const exhausted = whyNoMoreFiles(FILES_AT_ONCE);
  if (exhausted !== undefined) {
    return new RetryableError(`${file} can't be opened, as ${outOfFiles(exhausted)}.`, { cause });
  }
  const obstacle = whyNotWritable(realFile(file));
  if (obstacle?.code === 'ENOSPC' || obstacle?.code === 'EDQUOT') return diskIsFull(file, cause);
  if (obstacle?.code === 'EROFS' && statSync(file, { throwIfNoEntry: false }) !== undefined) {
    const words = `The disk of ${file} is read-only. Linux makes it so when a disk fails: check it, and mount it for writing again.`;
    return new RetryableError(words, { retryAfter: 30, cause });
  }
  if (obstacle === undefined && sqliteCode(cause) === IOERR) {
    const words = `${file} can't be read or written (I/O error). Check the disk.`;
    return new RetryableError(words, { retryAfter: 30, cause });
  }
  const reason = obstacle?.reason ?? messageOf(cause);
  return new UserError(
    'wrong-configuration',
    `DATABASE_URL: ${resolve(file)} can't be opened for writing, because ${reason}. Name a file where this user may write.`,
  );
}

/**
 * SQLite itself opens a file that it may not write for reading alone, and never tries again.
 * @throws UserError `wrong-configuration`, RetryableError if the disk is read-only
 */
export function requireWritable(file: string): void {
  try {
    accessSync(file, constants.W_OK);
  } catch (error) {
    throw cannotWrite(file, error);
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
  const broken = whyLinkBroken(file);
  if (broken !== undefined) throw cannot(file, broken);
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
      if (systemCodeOf(error) !== 'EEXIST') throw cannot(file, whyNoFolder(error, each));
    }
  }
}

/**
 * What keeps a file, or a new one in its folder, from being written, found by making a file beside it: a disk that
 * Linux has made read-only in an emergency shows in no other way.
 * @returns the system's code, and a reason that follows "because"; undefined if nothing does
 */
export function whyNotWritable(path: string): { code: unknown; reason: string } | undefined {
  const file = resolve(path);
  const folder = dirname(file);
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) return { code: 'EISDIR', reason: 'it is a folder' };
    if (found !== undefined) accessSync(file, constants.W_OK);
    const foreign = [`${file}-wal`, `${file}-shm`].find(isDenied);
    if (foreign !== undefined) {
      return { code: 'EACCES', reason: `this user may not read and write ${foreign} beside it` };
    }
    // SQLite writes its log next to the file.
    const probe = mkdtempSync(join(folder, '.fathom-'));
    try {
      writeFileSync(join(probe, 'probe'), ' ');
    } finally {
      rmSync(probe, { recursive: true });
    }
    return undefined;
  } catch (error) {
    const denied = 'write it, or make files in its folder';
    const code = systemCodeOf(error);
    const isGone = code === 'ENOENT';
    return { code, reason: isGone ? `${folder} is gone` : reasonOf(error, folder, denied) };
  }
}

/** Whether it's there, and of somebody else: root may have copied or moved it. */
function isDenied(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'EACCES';
  }
}

/** @param denied what this user may not do */
function reasonOf(error: unknown, folder: string, denied: string): string {
  switch (systemCodeOf(error)) {
    case 'EROFS':
      return `the disk of ${folder} is read-only`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `the disk of ${folder} is full`;
    case 'EACCES':
    case 'EPERM':
      return `this user may not ${denied}`;
    default:
      return messageOf(error);
  }
}

function statOf(path: string, file: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw cannot(file, whyNoFolder(error, path));
  }
}

function whyNoFolder(error: unknown, folder: string): string {
  return reasonOf(error, folder, `create or enter the folder ${folder}`);
}

function cannot(file: string, reason: string): UserError {
  return new UserError(
    'wrong-configuration',
    `DATABASE_URL: can't create ${file}, because ${reason}. Use a file that this user may write.`,
  );
}
