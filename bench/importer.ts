import { type Child, CORES, finish, memoryOf, start } from './process.ts';
import { tell } from './progress.ts';
import { CLI } from './server.ts';

/** Running `fathom import` and watching it. */

export interface Watched {
  readonly seconds: number;
  /** Its peak memory, in bytes. */
  readonly peak: number;
  readonly output: string;
}

const HOUR = 3600;

/**
 * Imports a file with the real command, measured over its whole process.
 * @param databaseUrl as in DATABASE_URL
 * @param feed writes to standard input, if `source` is `-`
 * @param more options of the command
 */
export async function importData(
  source: string,
  databaseUrl: string,
  cwd: string,
  feed?: (child: Child) => Promise<void>,
  more: readonly string[] = [],
): Promise<Watched> {
  const child = start({
    program: process.execPath,
    args: [...CLI, 'import', source, ...more],
    cores: CORES.all,
    cwd,
    env: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' },
  });
  const watched = watch(child, 'fathom import');
  const fed = feed?.(child).catch(async (error: unknown) => {
    // If the import failed, its own message says more than a broken pipe.
    await watched;
    throw error;
  });
  return (await Promise.all([watched, fed]))[0];
}

/** Waits for the end of a process and records its peak memory and its time. */
export async function watch(child: Child, what: string): Promise<Watched> {
  const began = performance.now();
  let peak = 0;
  // The kernel keeps the peak, so sampling only misses what the last moments add.
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOf(child.pid)?.peak ?? 0);
    tell(`${what} has run for ${Math.floor((performance.now() - began) / 1000)} s`);
  }, 50);
  try {
    const output = await finish(child, HOUR, what);
    return { seconds: (performance.now() - began) / 1000, peak, output };
  } finally {
    clearInterval(timer);
  }
}
