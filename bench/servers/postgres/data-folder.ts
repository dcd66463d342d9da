import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Binaries, makeOnce } from './binaries.ts';

/** The user that initdb creates. */
export const USER = 'fathom';

/**
 * Fills a new folder with what a server needs to start. initdb produces the same each time and
 * takes a good part of a second, so all servers of a test run begin as copies of the first.
 * @param path must not exist, in a folder that the server's account may write to
 * @param shared where the first one is kept; without it each server has its own
 */
export function makeDataFolder(path: string, binaries: Binaries, shared?: string): void {
  if (shared === undefined) {
    initialize(path, binaries);
    return;
  }
  const first = join(shared, `data${binaries.initdb.replaceAll(/\W/g, '-')}`);
  makeOnce(first, (made) => initialize(made, binaries));
  run('cp', ['-a', first, path], binaries);
}

function initialize(path: string, binaries: Binaries): void {
  const args = ['-D', path, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  run(binaries.initdb, args, binaries);
}

function run(program: string, args: readonly string[], { account }: Binaries): void {
  const env = { PATH: process.env.PATH };
  const { status, stderr, error } = spawnSync(program, args, { ...account, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}${error ?? ''}`);
}
