import { chmodSync, copyFileSync, existsSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { RetryableError, UserError } from '#base';
import { BUSY_TIMEOUT_MS } from '#storage/sqlite/database';
import { requireOurs, schemaVersion } from '#storage/sqlite/migrate';
import type { Contents } from '#storage/tables/contents';
import { contentsIn, faultsOf, unlikeVersion } from './contents.ts';
import { isFull, isIoFault, isWriteFault, translateError, whyNotWritable } from './errors.ts';
import { beginLineage, requireOwnLog } from './lineage.ts';
import { realFile } from './owner.ts';

/** Pages copied before others get their turn: a megabyte. */
const PAGES_AT_ONCE = 256;

interface CopiedDatabase {
  readonly schema: number;
  readonly contents: Contents;
}

/**
 * Copies a database as it is at this moment, with what is still in its log, while others may write to it.
 * Checks the copy, which is a single file.
 * @param copy where to; nothing or an empty file
 * @param name what people know the copy by, for errors
 * @param onProgress called with the share that is copied
 * @throws UserError `wrong-configuration`, RetryableError
 */
export async function copyDatabase(
  file: string,
  copy: string,
  name: string,
  onProgress: (share: number) => void,
): Promise<CopiedDatabase> {
  try {
    await fill(copy, file, onProgress);
    return settle(copy, file);
  } catch (error) {
    const isOfDisk = isIoFault(error) || isUnlockable(error);
    throw isOfDisk ? notWritten(copy, name, error) : translateError(error, name);
  } finally {
    for (const suffix of ['-wal', '-shm', '-journal']) removeIfPossible(copy + suffix);
  }
}

/** Says whose disk it is: that of the database serves on. */
function notWritten(copy: string, name: string, cause: unknown): RetryableError {
  const fault = isUnlockable(cause) ? NO_LOCKS : 'its disk fails (I/O error)';
  const why = whyNotWritable(copy)?.reason ?? fault;
  return new RetryableError(`${name} can't be written, because ${why}. There is no backup.`, {
    cause,
  });
}

const NO_LOCKS =
  'nothing there can be locked, as on some network disks; back up to a disk of this machine, and copy both files from there';

/** What Node says where SQLite can't lock the copy: an error that names no fault. */
function isUnlockable(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 0;
}

/** A disk that has failed removes nothing, and that has been said. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

async function fill(
  copy: string,
  file: string,
  onProgress: (share: number) => void,
): Promise<void> {
  try {
    requireOwnLog(file);
    const source = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      requireOurs(source, file);
      requireContent(source, file);
      // One reading from here on: otherwise each commit of a service would restart the copy.
      source.exec('BEGIN');
      source.prepare('SELECT count(*) FROM sqlite_schema').get();
      await backup(source, copy, {
        rate: PAGES_AT_ONCE,
        progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / totalPages),
      });
    } finally {
      source.close();
    }
  } catch (error) {
    if (restsOnReadOnlyDisk(file)) return copyAtRest(file, copy);
    // Only the copy is written.
    const isOfCopy = isFull(error) || isWriteFault(error) || whyNotWritable(copy) !== undefined;
    throw isOfCopy || isUnlockable(error) ? error : translateError(error, file);
  }
}

/**
 * SQLite can't open such a file, as it would make a log's index beside it. Where another machine or container writes
 * what is read-only here, there is an index.
 */
function restsOnReadOnlyDisk(file: string): boolean {
  return !existsSync(`${realFile(file)}-shm`) && whyNotWritable(realFile(file))?.code === 'EROFS';
}

/** With the log, which SQLite then applies to the copy. */
function copyAtRest(file: string, copy: string): void {
  for (const end of ['-wal', '-journal', '']) {
    const part = realFile(file) + end;
    if (!existsSync(part)) continue;
    copyFileSync(part, copy + end);
    chmodSync(copy + end, 0o600);
  }
}

/** Makes the copy a database of its own, in one file. */
function settle(copy: string, file: string): CopiedDatabase {
  const db = new DatabaseSync(copy);
  try {
    requireOurs(db, file);
    requireContent(db, file);
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL');
    beginLineage(db);
    const faults = faultsOf(db, 'integrity_check');
    if (faults.length > 0) throw damaged(file, faults);
    return { schema: schemaVersion(db), contents: contentsIn(db) };
  } finally {
    db.close();
  }
}

/**
 * Before its first tables a database has nothing to copy, and one with others than those of its version couldn't be
 * restored.
 * @throws UserError `wrong-usage`, `wrong-configuration`
 */
function requireContent(db: DatabaseSync, file: string): void {
  const unlike = unlikeVersion(db);
  if (unlike !== undefined) throw damaged(file, [unlike]);
  if (schemaVersion(db) > 0) return;
  throw new UserError('wrong-usage', `There is no database ${file} yet: the file is empty.`);
}

function damaged(file: string, faults: readonly string[]): UserError {
  return new UserError(
    'wrong-configuration',
    `${file} is damaged (${faults.join('; ')}), so we made no backup of it. Restore an earlier one.`,
  );
}
