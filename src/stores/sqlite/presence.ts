import { DatabaseSync } from 'node:sqlite';
import { UserError } from '#core/errors';
import { MEMORY } from './database.ts';
import { isBusy } from './errors.ts';

/**
 * Who serves from a file holds a lock on an empty one beside it. The system takes such a lock back
 * however a process ends, and sees it from one container to another.
 */
const SUFFIX = '-served';
/** Milliseconds to wait for who only looks whether anybody serves. */
const PATIENCE = 1_000;

/**
 * Says that this process serves from the file, until the function that it returns is called.
 * @throws UserError `wrong-configuration` when another one does: both would answer every command
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
    // Where there can be no lock, nobody is told apart.
    return isBusy(error) ? 'busy' : () => {};
  }
  return () => held.close();
}

/** Whether a process of this machine serves from the file now. */
export function isServed(file: string): boolean {
  if (file === MEMORY) return false;
  try {
    using lock = new DatabaseSync(file + SUFFIX, { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
    return false;
  } catch {
    return true;
  }
}
