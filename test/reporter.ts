import type { Reporter } from 'vitest/node';

/**
 * Ends a run with one line: `N passed, N failed`, and `, N skipped` where there are any.
 * The seed stands above it where something failed, so that the same values can be tried again.
 * A file that could not be loaded, a hook that threw and an error outside every test count as
 * one failure each, for "0 failed" must never stand under a run that failed.
 */
export default class CountsReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors) => {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
    }
    // A test that never finished did not pass.
    const failed = counts.failed + counts.pending;
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    if (failed > 0) process.stdout.write(`PROPERTY_SEED=${process.env.PROPERTY_SEED}\n`);
    process.stdout.write(`${counts.passed} passed, ${failed} failed${skipped}\n`);
  };
}
