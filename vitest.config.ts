import { randomInt } from 'node:crypto';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { folderInMemory } from './test/folder-in-memory.ts';
import SlowFirst from './test/sequencer.ts';
import { TEST_TIMEOUT } from './test/slow-files.ts';
import { SAME_PRIORITY } from './test/support/program.ts';

// Of this process too, so that the reporter can say which it was; see test/support/random.ts.
process.env.PROPERTY_SEED ??= String(randomInt(2 ** 31));

process.env.TMPDIR ??= folderInMemory() ?? tmpdir();

// For the workers and the threads that tests start: they load packages and sources as the service
// does, see src/app/compile-cache.js.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/fathom');

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    env: { PROPERTY_SEED: process.env.PROPERTY_SEED },
    globalSetup: ['./test/global-setup.ts'],
    setupFiles: ['./test/setup.ts'],
    // Processes, not threads: tests start servers, open databases and send signals.
    pool: 'forks',
    // For the threads that tests start.
    execArgv: SAME_PRIORITY,
    // Loading the libraries anew for each file takes a sixth of the time. What a test leaves behind
    // is for it to take away.
    isolate: false,
    // Most of the time goes into waiting for processes, clocks and sockets, not into computing.
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: SlowFirst },
    // Slow files have more, and waits less; see test/setup.ts.
    testTimeout: TEST_TIMEOUT,
    hookTimeout: TEST_TIMEOUT,
    // The counts come last, so that one line says how it went.
    reporters: ['default', './test/reporter.ts'],
  },
});
