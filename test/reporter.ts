import type { Reporter, TestCase } from 'vitest/node';

/**
 * Says at once why a test failed, since a run that is stopped doesn't get to its end. Ends a run with one
 * line: `N passed, N failed`, and `, N skipped` if there are any. After a failure, the line above shows the
 * seed, to try the same values again. A file that couldn't be loaded, a hook that threw and an error outside
 * of any test each count as a failure: "0 failed" must never end a failed run.
 */
export default class CountsReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    for (const { message, stacks } of test.result().errors ?? []) {
      const [at] = stacks ?? [];
      const where = at === undefined ? '' : ` at ${at.file}:${at.line}`;
      process.stdout.write(
        `${test.module.relativeModuleId} > ${test.fullName}${where}: ${message}\n`,
      );
    }
  }

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
