import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { messageOf, RetryableError, UserError } from '#base';
import { writeFully } from './import/temp-file.ts';

/**
 * Replaces a file's contents in one step, keeping its permissions: others see the old or the new, never a part.
 * @param before what it contained when it was read
 * @throws UserError `wrong-usage` if somebody has changed it since
 * @throws RetryableError if it can't be written
 */
export function replaceFile(path: string, before: string, text: string): void {
  const part = `${path}.${randomUUID().slice(0, 8)}.part`;
  try {
    const file = openSync(part, 'wx', statSync(path).mode);
    try {
      writeFully(file, Buffer.from(text));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (readFileSync(path, 'utf8') !== before) {
      throw new UserError(
        'wrong-usage',
        `${path} has just been changed by somebody else. Try again.`,
      );
    }
    renameSync(part, path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new RetryableError(`Can't write ${path}: ${messageOf(error)}.`, { cause: error });
  } finally {
    rmSync(part, { force: true });
  }
}
