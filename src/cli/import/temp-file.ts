import { randomUUID } from 'node:crypto';
import { openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, RetryableError, UserError } from '#core/errors';

/**
 * Opens a file for reading and writing that no longer has a name, so that nothing of it remains
 * after the process, however that ends. The caller closes it.
 * @returns its descriptor
 * @throws UserError where no file can be made
 */
export function openUnnamedFile(): number {
  const path = join(tmpdir(), `fathom-${randomUUID()}.tmp`);
  const fd = open(path);
  unlinkSync(path);
  return fd;
}

function open(path: string): number {
  try {
    return openSync(path, 'wx+', 0o600);
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(cause: unknown): UserError {
  return new UserError(
    'wrong-configuration',
    `No file can be made in the folder for temporary files, ${tmpdir()} (${messageOf(cause)}). Mend that, or name another one in TMPDIR.`,
    [],
    { cause },
  );
}

/** Writes all of it at the end of what was written so far. */
export function writeFully(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

/**
 * The same for an unnamed file.
 * @throws RetryableError that says where the space is missing
 */
export function writeTemporary(fd: number, bytes: Uint8Array): void {
  try {
    writeFully(fd, bytes);
  } catch (error) {
    throw new RetryableError(
      `The folder for temporary files, ${tmpdir()}, takes no more (${messageOf(error)}). Make room there, or name another one in TMPDIR.`,
      { cause: error },
    );
  }
}
