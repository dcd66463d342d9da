import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Logger, messageOf, UserError } from '#base';
import { flushFolder } from '#base/process';
import { openDatabase } from '#storage/sqlite/database';
import { APPLICATION_ID, schemaVersion } from '#storage/sqlite/migrate';
import { createSqliteRunner } from '#storage/sqlite/runner';
import type { Contents } from '#storage/tables/contents';
import { MIGRATIONS, newestVersion, requireBaseline } from '#storage/tables/migrations';
import { createWebhookStore } from '#storage/webhooks';
import type { WebhookPause } from '#webhooks';
import { contentsIn, faultsOf, unlikeVersion } from './contents.ts';
import { isBusy, isDamaged, translateError, translatingErrors, trustFile } from './errors.ts';
import { beginLineage, hasForeignLog } from './lineage.ts';
import { giveToOwner, isSameInode, realFile } from './owner.ts';

const BESIDE = ['-wal', '-shm', '-journal'] as const;

/** A backup in the folder of the database that it will replace. */
interface PreparedCopy {
  readonly schema: number;
  readonly contents: Contents;
  /** When the latest batch was committed; undefined if there is none. */
  readonly lastChange: number | undefined;
  /** How many webhooks were paused. */
  readonly paused: number;
}

/** Copies a backup, and the log of one that was copied with it, next to the database. */
export function placeCopy(backup: string, file: string): string {
  const copy = copyOf(file);
  dropLeft(file, copy);
  const flags = constants.COPYFILE_FICLONE;
  if (existsSync(`${backup}-wal`)) copyFileSync(`${backup}-wal`, `${copy}-wal`, flags);
  copyFileSync(backup, copy, flags);
  // It has secrets, even if others may read the backup.
  chmodSync(copy, modeOf(file) | 0o600);
  giveToOwner(copy, file);
  return copy;
}

/**
 * Checks all of a copy and brings it up to date, in a single file.
 * Its webhooks pause: their receivers may know of changes that the copy doesn't have.
 * @param backup the file that people know, for errors
 * @throws UserError `wrong-configuration` if it's damaged, not ours or newer
 */
export async function prepareCopy(
  copy: string,
  backup: string,
  pause: WebhookPause,
): Promise<PreparedCopy> {
  requireBackup(copy, backup);
  const db = named(copy, backup, () => openDatabase(copy));
  let prepared: PreparedCopy;
  try {
    const faults = named(copy, backup, () => faultsOf(db, 'integrity_check'));
    if (faults.length > 0) throw damaged(backup, faults);
    const paused = await createWebhookStore(createSqliteRunner(db, copy)).pauseAll(pause);
    beginLineage(db);
    const at = db.prepare('SELECT max(committed_at) AS at FROM batch').get()?.at;
    const lastChange = typeof at === 'number' ? at : undefined;
    prepared = { schema: schemaVersion(db), contents: contentsIn(db), lastChange, paused };
  } finally {
    db.close();
  }
  if (existsSync(`${copy}-wal`)) throw new Error(`${copy} is still in use`);
  flush(copy);
  return prepared;
}

/**
 * Gives a prepared copy the database's name. However it ends, the name stands for the old database or for the
 * new one, and never is there a log of the old one beside the new one.
 * @param aside the name that the old database gets, and a log that isn't its own or was left without it
 */
export function replaceDatabase(copy: string, file: string, aside: string): void {
  const isThere = existsSync(file);
  const held = isThere ? holdSettled(file, aside) : undefined;
  try {
    if (isThere) keepAs(file, aside);
    else putLogAside(file, aside);
    for (const suffix of BESIDE) rmSync(file + suffix, { force: true });
    renameSync(copy, file);
  } finally {
    held?.close();
  }
  flushFolder(dirname(resolve(file)));
}

function keepAs(file: string, aside: string): void {
  try {
    linkSync(file, aside);
  } catch {
    // Some file systems have no links.
    copyFileSync(file, aside, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }
}

/** Who else may read the database that it replaces; nobody if there is none. */
function modeOf(file: string): number {
  return (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
}

/** Removes a copy that isn't needed. */
export function dropWithLog(copy: string): void {
  for (const suffix of ['', ...BESIDE]) rmSync(copy + suffix, { force: true });
}

/**
 * Removes what a killed restore left: a copy as large as the database, with all its secrets. Only for a process that
 * serves from the file, as then nobody restores.
 */
export function dropLeftCopy(file: string, log: Logger): void {
  const real = realFile(file);
  const copy = copyOf(real);
  try {
    if (!dropLeft(real, copy)) return;
    log.info({}, `removed ${copy}, which a restore that was killed had left`);
  } catch (error) {
    const reason = messageOf(error);
    log.warn({ reason }, `delete ${copy}: a restore that was killed has left it`);
  }
}

/**
 * Where it was killed before the copy got the database's name, the old one may have two: SQLite would keep a log by each,
 * and nobody should take the second for a database of its own.
 * @returns whether there was anything
 */
function dropLeft(file: string, copy: string): boolean {
  if (!['', ...BESIDE].some((suffix) => existsSync(copy + suffix))) return false;
  const [folder, kept] = [dirname(file), `${basename(file)}.before-`];
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith(kept) && isSameInode(path, file)) rmSync(path);
  }
  // Last, as the sign that there is more to do.
  dropWithLog(copy);
  return true;
}

function copyOf(file: string): string {
  return `${file}.restoring`;
}

/**
 * Writes what the log holds into the database, or puts a log that isn't its own aside.
 * @returns keeps others from the database until it's closed; undefined for one that can't be read
 */
function holdSettled(file: string, aside: string): DatabaseSync | undefined {
  if (hasForeignLog(file)) {
    putLogAside(file, aside);
    return undefined;
  }
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 1_000 });
    // Fails if anybody else has it open.
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    requireOurKind(db, file);
    // Without a log, closing it later removes none: by then it would be the new database's.
    db.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db?.close();
    if (isBusy(error)) throw inUse(file, error);
    if (error instanceof UserError) throw error;
    const translated = translateError(error, file);
    // Damaged, which may be why it's replaced.
    if (!(translated instanceof UserError)) throw translated;
    putLogAside(file, aside);
    return undefined;
  }
}

/** Before the file gets another content: they may be worth a look together. */
function putLogAside(file: string, aside: string): void {
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`);
}

/** Any version is accepted: going back to an earlier one is what a backup is for. */
function requireOurKind(db: DatabaseSync, file: string): void {
  const id = db.prepare('PRAGMA application_id').get()?.application_id;
  const tables = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n;
  if (id === APPLICATION_ID || tables === 0) return;
  throw new UserError(
    'wrong-usage',
    `${file} is another program's database. We left it unchanged; set DATABASE_URL to another file.`,
  );
}

function inUse(file: string, cause: unknown): UserError {
  return new UserError(
    'wrong-usage',
    `Another program has ${file} open, such as an import. Nothing was changed; stop it first.`,
    [],
    { cause },
  );
}

/**
 * Rejects a file that no `fathom backup` can have made, before anything is done with its copy. An empty file would
 * pass for a new database.
 */
function requireBackup(copy: string, backup: string): void {
  const refused = (what: string, todo = 'restore another one') =>
    new UserError('wrong-configuration', `${backup} ${what}. Nothing was changed; ${todo}.`);
  trustFile(copy);
  if (isCompressed(copy)) {
    throw refused('is compressed', 'unpack it, and restore what comes out');
  }
  if (hasForeignLog(copy)) {
    const todo = `delete ${backup}-wal if you want the file as it is`;
    throw refused('has the log of another database beside it', todo);
  }
  named(copy, backup, () => {
    const db = new DatabaseSync(copy);
    try {
      const id = db.prepare('PRAGMA application_id').get()?.application_id;
      if (id !== APPLICATION_ID) throw refused('is no database of Fathom');
      const [version, known] = [schemaVersion(db), newestVersion(MIGRATIONS.sqlite)];
      requireBaseline(MIGRATIONS.sqlite, version, backup);
      if (version <= known) {
        // The steps to the newest version would fail at it.
        const unlike = unlikeVersion(db);
        if (unlike !== undefined) throw damaged(backup, [unlike]);
        return;
      }
      const what = `was made by a newer Fathom (schema ${version}; this one knows ${known})`;
      throw refused(what, 'restore it with that Fathom, or take a backup from before its upgrade');
    } finally {
      db.close();
    }
  });
}

/** How files of gzip, Zstandard and xz begin, in hex digits. */
const COMPRESSED = ['1f8b', '28b52ffd', 'fd377a58'];

function isCompressed(file: string): boolean {
  const head = Buffer.alloc(4);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, head);
  } finally {
    closeSync(opened);
  }
  return COMPRESSED.some((each) => head.toString('hex').startsWith(each));
}

/** Runs `work` on a copy; what fails is told of the file that people know. */
function named<T>(copy: string, backup: string, work: () => T): T {
  try {
    return translatingErrors(copy, work);
  } catch (error) {
    throw isDamaged(copy) ? damaged(backup, ['its pages are no database'], error) : error;
  }
}

function damaged(backup: string, faults: readonly string[], cause?: unknown): UserError {
  return new UserError(
    'wrong-configuration',
    `${backup} is damaged (${faults.join('; ')}). Nothing was changed; restore another one.`,
    [],
    { cause },
  );
}

/** So that a power failure doesn't lose the content. */
function flush(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
