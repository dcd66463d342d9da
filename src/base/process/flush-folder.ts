import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Of file systems without a way to do it, and of folders that may be written and not read. */
const UNABLE: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'EACCES']);

/**
 * Waits until the disk has a folder's names, such as the one that a file has just got: a power failure loses none
 * then. Where that can't be asked for, nothing is done.
 * @throws Error if the disk fails
 */
export function flushFolder(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    fsyncSync(fd);
  } catch (error) {
    if (!UNABLE.has((error as NodeJS.ErrnoException).code)) throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
