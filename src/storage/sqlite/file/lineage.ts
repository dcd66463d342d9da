import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync as Database, type DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { UserError } from '#base';
import { statIfThere } from '#base/process';
import { realFile } from './owner.ts';

/**
 * SQLite takes whatever log lies next to a file for the file's own. After a crash a log is left behind, and a
 * backup that is then laid over the file is overwritten by it, page by page. So each transaction writes a
 * stamp that names the one before: the first stamp in a log says which file the log continues.
 */
const MARK = 'fathom-lineage:';
/** What comes before the first stamp. */
const NONE = '0000000000000000';

const NEXT = `UPDATE lineage SET stamp = '${MARK}' || substr(stamp, -16) || ':' || lower(hex(randomblob(8)))`;
const FRESH = `UPDATE lineage SET stamp = '${MARK}${NONE}:' || lower(hex(randomblob(8)))`;
const STAMP = new RegExp(`^${MARK}([0-9a-f]{16}):([0-9a-f]{16})$`);
const STAMP_LENGTH = MARK.length + 33;
/** A record of an id, which SQLite leaves out, and a text of that length. */
const RECORD_HEAD = Buffer.from([3, 0, STAMP_LENGTH * 2 + 13]);

const stampers = new WeakMap<DatabaseSync, () => void>();

/** Stamps the transaction that is under way. */
export function stamp(db: DatabaseSync): void {
  let stamper = stampers.get(db);
  if (stamper === undefined) {
    const next = db.prepare(NEXT);
    stamper = () => void next.run();
    stampers.set(db, stamper);
  }
  stamper();
}

/** Whether the file's schema has stamps yet. */
export function hasLineage(db: DatabaseSync): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'lineage'`).get() !== undefined;
}

/** Makes a copy a database of its own: no log of the original is taken for the copy's. */
export function beginLineage(db: DatabaseSync): void {
  if (hasLineage(db)) db.exec(FRESH);
}

/** How often to look: another process may be writing the file and its log meanwhile. */
const ATTEMPTS = 5;

/** Whether the log next to a file continues another database, or one that is gone. Changes nothing. */
export function hasForeignLog(file: string): boolean {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) if (!looksForeign(file)) return false;
  return true;
}

/**
 * Called before a file is opened, as that already applies its log.
 * @throws UserError `wrong-configuration` if the log next to it continues another database
 */
export function requireOwnLog(file: string): void {
  if (!hasForeignLog(file)) return;
  if (isNothing(file)) throw lost(file);
  const real = realFile(file);
  throw new UserError(
    'wrong-configuration',
    `${real}-wal belongs to another database than ${file}, as after copying a backup over the file of a service that didn't stop by itself. We left both unchanged. Restore the backup with "fathom restore BACKUP --replace"; or, if ${file} is what you want as it is, delete ${real}-wal and ${real}-shm while no service runs.`,
  );
}

function lost(file: string): UserError {
  const real = realFile(file);
  return new UserError(
    'wrong-configuration',
    `${file} is ${existsSync(file) ? 'empty' : 'missing'}, but its log ${real}-wal is there, as after losing the file of a service that didn't stop by itself. We left that unchanged, as a new database would delete it. Bring the file back, or restore a backup with "fathom restore BACKUP --replace"; or, for a new database, delete ${real}-wal and ${real}-shm while no service runs.`,
  );
}

/** SQLite makes a new database there, and deletes whatever log it finds. */
function isNothing(file: string): boolean {
  return (statIfThere(file)?.size ?? 0) === 0;
}

function looksForeign(file: string): boolean {
  const log = openLog(`${realFile(file)}-wal`);
  if (log === undefined) return false;
  try {
    // Before its log has anything, a database has a first page.
    if (isNothing(file)) return log.stamps()[Symbol.iterator]().next().done !== true;
    const own = ownStamp(file);
    if (own === undefined) return false;
    const began = log.generation();
    let isFirst = true;
    for (const [before, after] of log.stamps()) {
      if ((isFirst && before === own) || after === own) return false;
      isFirst = false;
    }
    // A log that was restarted meanwhile continues what was written to the file meanwhile.
    return !isFirst && began === log.generation();
  } finally {
    log.close();
  }
}

/** The stamp in the file itself. @returns undefined if it can't be read */
function ownStamp(file: string): string | undefined {
  try {
    // Immutable: without its log, and without a lock.
    const url = pathToFileURL(file);
    url.searchParams.set('immutable', '1');
    const db = new Database(url, { readOnly: true });
    try {
      if (!hasLineage(db)) return NONE;
      return STAMP.exec(String(db.prepare('SELECT stamp FROM lineage').get()?.stamp))?.[2];
    } finally {
      db.close();
    }
  } catch {
    // A checkpoint may have been cut off, which its log then makes good.
    return undefined;
  }
}

const LOG_HEAD = 32;
const FRAME_HEAD = 24;

/** A write-ahead log: https://sqlite.org/fileformat2.html#walformat */
interface Log {
  /** Changes when SQLite restarts the log. */
  generation(): string;
  /** The stamps of its transactions, in order. */
  stamps(): Iterable<[before: string, after: string]>;
  close(): void;
}

/** @returns undefined if there is none, or an empty one */
function openLog(path: string): Log | undefined {
  let fd: number;
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= LOG_HEAD) return undefined;
    fd = openSync(path, 'r');
  } catch {
    // Opening the database will say why.
    return undefined;
  }
  const head = () => {
    const bytes = Buffer.alloc(LOG_HEAD);
    readSync(fd, bytes, 0, LOG_HEAD, 0);
    return bytes;
  };
  const saltsOf = (bytes: Buffer, at: number) => bytes.toString('hex', at, at + 8);
  return {
    generation: () => saltsOf(head(), 16),
    *stamps() {
      const first = head();
      const pageSize = first.readUInt32BE(8);
      if (pageSize < 512 || pageSize > 65_536) return;
      const frame = Buffer.alloc(FRAME_HEAD + pageSize);
      for (let at = LOG_HEAD; readSync(fd, frame, 0, frame.length, at) === frame.length; ) {
        // What follows is left from an earlier generation.
        if (saltsOf(frame, 8) !== saltsOf(first, 16)) return;
        const found = stampOn(frame.subarray(FRAME_HEAD));
        if (found !== undefined) yield found;
        at += frame.length;
      }
    },
    close: () => closeSync(fd),
  };
}

/** The stamp on a page, if it's the table's: a leaf with a single row. */
function stampOn(page: Buffer): [before: string, after: string] | undefined {
  if (page[0] !== 0x0d || page.readUInt16BE(3) !== 1) return undefined;
  // After the payload's length and the row's number, of one byte each.
  const record = page.readUInt16BE(8) + 2;
  if (record + RECORD_HEAD.length + STAMP_LENGTH > page.length) return undefined;
  const text = record + RECORD_HEAD.length;
  if (!page.subarray(record, text).equals(RECORD_HEAD)) return undefined;
  const found = STAMP.exec(page.toString('latin1', text, text + STAMP_LENGTH));
  return found === null ? undefined : [found[1] as string, found[2] as string];
}
