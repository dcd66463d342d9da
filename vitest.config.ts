import { randomInt } from 'node:crypto';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { folderInMemory } from './test/folder-in-memory.ts';
import { JOINED_THREADS, SAME_PRIORITY } from './test/support/program.ts';

// Of this process too, so that the reporter can say which it was; see test/support/random.ts.
process.env.PROPERTY_SEED ??= String(randomInt(2 ** 31));

process.env.TMPDIR ??= folderInMemory() ?? tmpdir();

// For the workers and the threads that tests start: they load packages and sources as the service
// does, see src/app/compile-cache.js.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/fathom');

/** What a test may take on a quiet machine: a hang costs a minute, or five where others are waited for. */
const MINUTE_MS = 60_000;

/** How a file's name ends that needs more than this process and stores in memory. */
const KINDS = ['browser', 'chain', 'db', 'platform', 'service'];
/** Of files that start no process and open no database's file, which it holds them to. */
const ONLY_MEMORY = ['./test/setup/only-memory.ts'];
/** How it ends instead, whatever the file needs, by when it runs; see CONTRIBUTING.md. */
const TIMES = ['everyday', 'nightly'];

/**
 * How many files run at once of those that compute most of their time, and of those that mostly wait: for processes
 * to start, for clocks and for sockets. The latter go first, as a group: slow ones come before units.
 */
const COMPUTING = { maxWorkers: Math.max(4, availableParallelism()), sequence: { groupOrder: 1 } };
const WAITING = { maxWorkers: Math.max(6, availableParallelism()), sequence: { groupOrder: 0 } };

/** Test files that run alike. */
function project(
  name: string,
  timeoutMs: number,
  atOnce: typeof COMPUTING,
  include: string,
  moreSetup: readonly string[] = [],
  exclude: readonly string[] = [],
): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      include: [include],
      exclude: ['**/node_modules/**', ...exclude],
      setupFiles: ['./test/setup/every-file.ts', ...moreSetup],
      // While others keep the machine busy too, a test has more; see test/setup/every-file.ts.
      provide: { timeoutMs },
      testTimeout: timeoutMs,
      hookTimeout: timeoutMs,
      ...atOnce,
    },
  };
}

export default defineConfig({
  test: {
    env: { PROPERTY_SEED: process.env.PROPERTY_SEED },
    globalSetup: ['./test/setup/once.ts'],
    // Processes, not threads: tests start servers, open databases and send signals.
    pool: 'forks',
    // For the threads that tests start.
    execArgv: [...SAME_PRIORITY, ...JOINED_THREADS],
    // Loading the libraries again for each file takes a sixth of the time. What a test leaves behind
    // is for it to take away.
    isolate: false,
    // Node loads the sources as it does for the service. Vite's own loader took a sixth of the time, and each use of
    // what is imported went through it. Hence no `vi.mock`: spy on what is shared, or hand in what takes its place.
    // Without it, there is no need to parse each module for mocks either, which took a twelfth.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The counts come last, so that one line says how it went.
    reporters: ['default', './test/reporter.ts'],
    // What a file needs is told by its name, and what runs when by package.json; see CONTRIBUTING.md.
    projects: [
      ...KINDS.map((kind) =>
        project(
          kind,
          5 * MINUTE_MS,
          WAITING,
          `test/**/*.${kind}.test.ts`,
          kind === 'chain' || kind === 'platform' ? ONLY_MEMORY : [],
        ),
      ),
      project('everyday', 5 * MINUTE_MS, COMPUTING, 'test/**/*.everyday.test.ts'),
      project('nightly', 5 * MINUTE_MS, WAITING, 'test/**/*.nightly.test.ts'),
      project('unit', MINUTE_MS, COMPUTING, 'test/**/*.test.ts', ONLY_MEMORY, [
        `test/**/*.{${[...KINDS, ...TIMES].join(',')}}.test.ts`,
      ]),
    ],
  },
});
