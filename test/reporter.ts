import type { Reporter } from 'vitest/node';

/**
 * Ends a run with one line: `N passed, N failed`, and `, N skipped` if there are any. After a failure, the
 * line above shows the seed, to try the same values again. A file that couldn't be loaded, a hook that threw
 * and an error outside of any test each count as a failure: "0 failed" must never end a failed run.
 */
export default class CountsReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors) => {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
    }
    // A test that never finished didn't pass.
    const failed = counts.failed + counts.pending;
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    if (failed > 0) process.stdout.write(`PROPERTY_SEED=${process.env.PROPERTY_SEED}\n`);
    process.stdout.write(`${counts.passed} passed, ${failed} failed${skipped}\n`);
  };
}
