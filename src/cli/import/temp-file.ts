import { randomUUID } from 'node:crypto';
import { openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, RetryableError } from '#core/errors';

/**
 * Opens a file for reading and writing that no longer has a name, so that nothing of it remains
 * after the process, however that ends. The caller closes it.
 * @returns its descriptor
 */
export function openUnnamedFile(): number {
  const path = join(tmpdir(), `fathom-${randomUUID()}.tmp`);
  const fd = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return fd;
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
