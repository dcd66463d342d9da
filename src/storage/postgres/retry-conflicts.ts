import { RetryableError } from '#base';
import { errorCodeOf } from './errors.ts';

/** A serialization failure or a deadlock: Postgres has rolled everything back. */
const CONFLICT = /^(?:40001|40P01)$/;
const TRIES = 3;

/** A unique constraint was violated. */
const UNIQUE_VIOLATION = '23505';

/**
 * Runs work that other transactions may conflict with, and retries it.
 * @param work must roll back completely when it throws
 */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      const isConflict = error instanceof RetryableError && CONFLICT.test(errorCodeOf(error.cause));
      if (!isConflict || left <= 1) throw error;
    }
  }
}

/** @returns whether Postgres rejected a duplicate row */
export function isDuplicate(error: unknown): boolean {
  return errorCodeOf(error) === UNIQUE_VIOLATION;
}
