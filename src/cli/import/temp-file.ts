import { randomUUID } from 'node:crypto';
import { openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, RetryableError, UserError } from '#base';

/**
 * Opens a file for reading and writing and unlinks it, so that nothing remains after the process,
 * however it ends. The caller closes it.
 * @returns its descriptor
 * @throws UserError if no file can be created
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
    `Can't create files in the folder for temporary files, ${tmpdir()} (${messageOf(cause)}). Fix that, or set TMPDIR to another folder.`,
    [],
    { cause },
  );
}

/** Appends all bytes. */
export function writeFully(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

/**
 * Appends all bytes to an unnamed file.
 * @throws RetryableError that names the folder
 */
export function writeTemporary(fd: number, bytes: Uint8Array): void {
  try {
    writeFully(fd, bytes);
  } catch (error) {
    throw new RetryableError(
      `Can't write to the folder for temporary files, ${tmpdir()} (${messageOf(error)}). Free up space there, or set TMPDIR to another folder.`,
      { cause: error },
    );
  }
}
