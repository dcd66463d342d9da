import { DatabaseSync } from 'node:sqlite';
import { UserError } from '#base';
import { MEMORY } from './database.ts';
import { isBusy } from './errors.ts';

/**
 * A process that serves from a file locks an empty file next to it. The system releases such a lock
 * however the process ends, and shows it across containers.
 */
const SUFFIX = '-served';
/** Milliseconds that a mere check waits for the lock. */
const PATIENCE = 1_000;

/**
 * Marks the file as served by this process, until the returned function is called.
 * @throws UserError `wrong-configuration` if another process serves from it: both would answer
 * every command
 */
export function markServed(file: string): () => void {
  if (file === MEMORY) return () => {};
  const leave = lock(file + SUFFIX);
  if (leave !== 'busy') return leave;
  throw new UserError(
    'wrong-configuration',
    `Another process serves from ${file}, and a SQLite file is for one. Stop that one first; several processes need a Postgres database (docs/operate.md).`,
  );
}

function lock(file: string): (() => void) | 'busy' {
  let held: DatabaseSync | undefined;
  try {
    held = new DatabaseSync(file, { timeout: PATIENCE });
    // Nothing is ever written.
    held.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    held?.close();
    // Where locks don't work, we can't detect other processes.
    return isBusy(error) ? 'busy' : () => {};
  }
  return () => held.close();
}

/** Whether a process on this machine serves from the file now. */
export function isServed(file: string): boolean {
  if (file === MEMORY) return false;
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file + SUFFIX, { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
    return false;
  } catch {
    return true;
  } finally {
    lock?.close();
  }
}
