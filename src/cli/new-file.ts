import { openSync } from 'node:fs';
import { messageOf, UserError } from '#core/errors';

/**
 * Creates a file for a result, and never writes over one.
 * @returns its descriptor
 * @throws UserError `wrong-usage`
 */
export function createFile(path: string): number {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(path: string, cause: unknown): UserError {
  const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
  const reason = isThere ? 'it is there already; name a new file' : messageOf(cause);
  return new UserError('wrong-usage', `Can't write ${path}: ${reason}.`, [], { cause });
}
