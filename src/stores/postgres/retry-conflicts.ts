import { RetryableError } from '#core/errors';
import { errorCodeOf } from './errors.ts';

/** A serialization failure or a deadlock: Postgres has undone all of it. */
const CONFLICT = /^(?:40001|40P01)$/;
const TRIES = 3;

/** Two rows that may be there once alone. */
const UNIQUE_VIOLATION = '23505';

/**
 * Runs what other transactions may get in the way of; then it runs again.
 * @param work is undone whole when it throws
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

/** @returns whether Postgres refused a second row where one may be */
export function isDuplicate(error: unknown): boolean {
  return errorCodeOf(error) === UNIQUE_VIOLATION;
}
