import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongFirst from './test/sequencer.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['./test/setup.ts'],
    // Processes, not threads: tests start servers, open databases and send signals.
    pool: 'forks',
    // Loading the libraries anew for each file takes a sixth of the time. What a test leaves behind
    // is for it to take away.
    isolate: false,
    // Most of the time goes into waiting for processes, clocks and sockets, not into computing.
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: LongFirst },
    // What never comes fails late, so that what comes late on a busy machine doesn't.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // The counts come last, so that one line says how it went.
    reporters: ['default', './test/reporter.ts'],
  },
});
