import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface SmallDisk {
  readonly path: string;
  resize(mebibytes: number): void;
  /** As Linux mounts a disk that has failed. No file there may be open for writing. */
  makeReadOnly(is: boolean): void;
}

/** A disk of a few megabytes for a test; undefined if this user may not mount one. */
export function mountSmallDisk(folder: string, mebibytes: number): SmallDisk | undefined {
  const path = join(folder, 'disk');
  mkdirSync(path);
  try {
    asRoot('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path);
  } catch {
    return undefined;
  }
  onTestFinished(() => void asRoot('umount', '--lazy', path));
  return {
    path,
    resize: (size) => asRoot('mount', '-o', `remount,size=${size}m`, path),
    makeReadOnly: (is) => asRoot('mount', '-o', `remount,${is ? 'ro' : 'rw'}`, path),
  };
}

function asRoot(tool: string, ...args: string[]): void {
  execFileSync(tool, args, { stdio: 'ignore' });
}
