import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';
/** Several times what the tests that run at once keep. */
const BYTES = 2 * 2 ** 30;

/**
 * A folder whose files are in memory: hundreds of databases are made, copied and removed, and a disk
 * takes longer for that. Undefined where there is none, it's too small, or programs can't run from it.
 */
export function folderInMemory(): string | undefined {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const [, , type, options = ''] =
      mounts.map((line) => line.split(' ')).find(([, path]) => path === FOLDER) ?? [];
    if (type !== 'tmpfs' || options.split(',').includes('noexec')) return undefined;
    accessSync(FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(FOLDER);
    return Math.min(bavail * bsize, process.availableMemory()) >= BYTES ? FOLDER : undefined;
  } catch {
    return undefined;
  }
}
