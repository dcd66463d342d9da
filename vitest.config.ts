import { randomInt } from 'node:crypto';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { folderInMemory } from './test/folder-in-memory.ts';
import { SAME_PRIORITY } from './test/support/program.ts';

// Of this process too, so that the reporter can say which it was; see test/support/random.ts.
process.env.PROPERTY_SEED ??= String(randomInt(2 ** 31));

process.env.TMPDIR ??= folderInMemory() ?? tmpdir();

// For the workers and the threads that tests start: they load packages and sources as the service
// does, see src/app/compile-cache.js.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/fathom');

/** What a test may take on a quiet machine: a hang costs a minute, or five where others are waited for. */
const MINUTE_MS = 60_000;

/**
 * Test files of one kind.
 * @param setupFile of that kind alone
 */
function project(
  name: string,
  timeoutMs: number,
  files: { include: string[]; exclude?: string[] },
  setupFile?: string,
): TestProjectInlineConfiguration {
  const setupFiles = [
    './test/setup/every-file.ts',
    ...(setupFile === undefined ? [] : [setupFile]),
  ];
  return {
    extends: true,
    test: {
      name,
      ...files,
      setupFiles,
      // While others keep the machine busy too, a test has more; see test/setup/every-file.ts.
      provide: { timeoutMs },
      testTimeout: timeoutMs,
      hookTimeout: timeoutMs,
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
    execArgv: SAME_PRIORITY,
    // Loading the libraries anew for each file takes a sixth of the time. What a test leaves behind
    // is for it to take away.
    isolate: false,
    // Most of the time goes into waiting for processes, clocks and sockets, not into computing.
    maxWorkers: Math.max(4, availableParallelism()),
    // The counts come last, so that one line says how it went.
    reporters: ['default', './test/reporter.ts'],
    // What a file needs is told by its name, see CONTRIBUTING.md. They run in the order of their
    // projects' names, so slow kinds come first, and units fill the time when the last of them run.
    projects: [
      project('browser', 5 * MINUTE_MS, { include: ['test/**/*.browser.test.ts'] }),
      project('db', 5 * MINUTE_MS, { include: ['test/**/*.db.test.ts'] }),
      project('service', 5 * MINUTE_MS, { include: ['test/**/*.service.test.ts'] }),
      project(
        'unit',
        MINUTE_MS,
        {
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/**/*.{browser,db,service}.test.ts'],
        },
        './test/setup/unit.ts',
      ),
    ],
  },
});
