import { DatabaseSync } from 'node:sqlite';
import { MEMORY } from './database.ts';

/**
 * Who serves from a file holds a shared lock on an empty one beside it. The system takes such a
 * lock back however a process ends, and sees it from one container to another.
 */
const SUFFIX = '-served';

/** Says that this process serves from the file, until the function that it returns is called. */
export function markServed(file: string): () => void {
  if (file === MEMORY) return () => {};
  try {
    const lock = new DatabaseSync(file + SUFFIX, { timeout: 1000 });
    // A transaction that has read holds the lock; nothing is ever written.
    lock.exec('BEGIN; SELECT 1 FROM sqlite_schema');
    return () => lock.close();
  } catch {
    // A hint to imports alone: where it can't be given, they take more of the machine.
    return () => {};
  }
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
