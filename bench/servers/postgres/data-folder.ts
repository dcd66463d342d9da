import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Binaries, makeOnce } from './binaries.ts';

/** The user that initdb creates. */
export const USER = 'fathom';

/**
 * Fills a new folder with what a server needs to start.
 * @param path must not exist, in a folder that the server's account may write to
 */
export function makeDataFolder(
  path: string,
  binaries: Binaries,
  more: readonly string[] = [],
): void {
  const args = ['-D', path, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  run(binaries.initdb, [...args, ...more], binaries);
}

/**
 * The same for one of many servers: they begin as copies of the first, whose making takes seconds.
 * @param shared where that is kept
 * @param prepare adds to the first, given the folder that its `data` is in
 */
export async function copyDataFolder(
  path: string,
  binaries: Binaries,
  shared: string,
  prepare: (folder: string) => Promise<void>,
): Promise<void> {
  const first = join(shared, `server${binaries.initdb.replaceAll(/\W/g, '-')}`);
  await makeOnce(first, async (folder) => {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    // The write-ahead log would be most of what is copied.
    makeDataFolder(join(folder, 'data'), binaries, ['--wal-segsize=1']);
    await prepare(folder);
  });
  run('cp', ['-a', join(first, 'data'), path], binaries);
}

function run(program: string, args: readonly string[], { account }: Binaries): void {
  const env = { PATH: process.env.PATH };
  const { status, stderr, error } = spawnSync(program, args, { ...account, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}${error ?? ''}`);
}
