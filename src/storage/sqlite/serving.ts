import { existsSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { mapMaybe, UserError, wallMs } from '#base';
import { type InboxStore, MOST_TRIES, REMEMBERED_SECONDS } from '#cluster';
import { MEMORY } from './database.ts';
import { isBusy, translatingErrors } from './file/errors.ts';
import { createPrivately, realFile } from './file/owner.ts';
import { inTurn } from './write-turns.ts';

/**
 * A process that serves from a file locks an empty file next to it, which it removes when it leaves. The system
 * releases such a lock however the process ends, and shows it across containers.
 */
const SUFFIX = '-served';
/** Milliseconds that a mere check waits for the lock. */
const PATIENCE = 1_000;
/** How often the file may turn out to be the one of a process that was just leaving. */
const TRIES = 10;

/**
 * Marks the file as served by this process, until the returned function is called.
 * @throws UserError `wrong-configuration` if another process serves from it: both would answer
 * every command
 */
export function markServed(file: string): () => void {
  if (file === MEMORY) return () => {};
  const leave = lock(realFile(file));
  if (leave !== 'busy') return leave;
  throw new UserError(
    'wrong-configuration',
    `Another process serves from ${file}, and a SQLite file is for one. Stop that one first; several processes need a Postgres database (docs/operate.md).`,
  );
}

function lock(real: string): (() => void) | 'busy' {
  const mark = real + SUFFIX;
  for (let tries = 1; ; tries++) {
    createPrivately(mark, real);
    const found = inodeOf(mark);
    let held: DatabaseSync;
    try {
      held = exclusive(mark, PATIENCE);
    } catch (error) {
      if (isBusy(error)) return 'busy';
      // Where locks don't work, we can't detect other processes.
      if (existsSync(mark) || tries === TRIES) return () => {};
      continue;
    }
    const locked = held;
    if (inodeOf(mark) === found || tries === TRIES) return () => leave(locked, mark);
    // The process that had it has just left and removed it: this lock would hold up nobody.
    held.close();
  }
}

/** Removes the file before its lock, so that nobody else's is removed. */
function leave(held: DatabaseSync, mark: string): void {
  try {
    rmSync(mark, { force: true });
  } catch {
    // As on a disk that is read-only by now: without a lock it says nothing.
  }
  held.close();
}

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Whether a process on this machine serves from the file now. */
export function isServed(file: string): boolean {
  if (file === MEMORY) return false;
  const mark = realFile(file) + SUFFIX;
  if (!existsSync(mark)) return false;
  try {
    exclusive(mark, 0).close();
    return false;
  } catch {
    // Unless it was removed meanwhile.
    return existsSync(mark);
  }
}

/** Locks a file that is there. Nothing is ever written. @throws if it's locked, or gone */
function exclusive(mark: string, timeout: number): DatabaseSync {
  const url = pathToFileURL(mark);
  url.searchParams.set('mode', 'rw');
  const db = new DatabaseSync(url, { timeout });
  try {
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Deliveries that aren't answered yet. Only one process at a time serves from a file, so any other
 * that has left deliveries is gone.
 * @param clock milliseconds since 1970
 */
export function createInboxStore(
  db: DatabaseSync,
  file: string,
  clock: () => number = wallMs,
): InboxStore {
  const now = () => Math.floor(clock() / 1000);
  const sql = {
    receive: db.prepare(
      `INSERT INTO delivery (platform, id, body, replica, tries, received_at)
       VALUES (?, ?, ?, ?, 1, ?) ON CONFLICT (platform, id) DO NOTHING`,
    ),
    held: db.prepare(
      `SELECT 1 FROM delivery
       WHERE platform = ? AND id = ? AND replica = ? AND settled_at IS NULL`,
    ),
    settle: db.prepare(
      `UPDATE delivery SET body = NULL, settled_at = ?
       WHERE platform = ? AND id = ? AND settled_at IS NULL`,
    ),
    giveUp: db.prepare(
      `UPDATE delivery SET body = NULL, settled_at = ?
       WHERE platform = ? AND settled_at IS NULL AND replica <> ? AND tries >= ?`,
    ),
    left: db.prepare(
      `SELECT seq, id, body FROM delivery
       WHERE platform = ? AND settled_at IS NULL AND replica <> ? ORDER BY seq LIMIT ?`,
    ),
    take: db.prepare('UPDATE delivery SET replica = ?, tries = tries + 1 WHERE seq = ?'),
    waiting: db.prepare(
      `SELECT body FROM delivery
       WHERE platform = ? AND settled_at IS NULL AND instr(body, ?) > 0 AND instr(body, ?) > 0`,
    ),
    // Counts from the answer, so that a changed clock never drops a delivery that waits.
    forget: db.prepare('DELETE FROM delivery WHERE received_at < ?1 AND settled_at < ?1'),
  };

  const write = <T>(work: () => T) => inTurn(db, file, work);

  return {
    receive: ({ platform, id, body }, replica) =>
      mapMaybe(
        write(() => sql.receive.run(platform, id, body, replica, now())),
        ({ changes }) => Number(changes) > 0,
      ),
    isHeld: (platform, id, replica) =>
      translatingErrors(file, () => sql.held.get(platform, id, replica)) !== undefined,
    settle: (platform, id) =>
      write(() => {
        sql.settle.run(now(), platform, id);
      }),
    waiting: (platform, parts) =>
      translatingErrors(file, () => sql.waiting.all(platform, ...parts)).map(({ body }) =>
        String(body),
      ),
    takeOver: (platform, replica, limit) =>
      write(() => {
        sql.forget.run(now() - REMEMBERED_SECONDS);
        sql.giveUp.run(now(), platform, replica, MOST_TRIES);
        return sql.left.all(platform, replica, limit).map(({ seq, id, body }) => {
          sql.take.run(replica, Number(seq));
          return { platform, id: String(id), body: String(body) };
        });
      }),
  };
}
