import type { Reporter, SerializedError, TestCase } from 'vitest/node';

/** How many failures are told again at the end, and how much of each: its first line, cut. */
const MAX_TOLD_AGAIN = 20;
const MAX_LENGTH = 500;

/**
 * Says at once why a test failed, since a run that is stopped doesn't get to its end. Ends a run with one
 * line: `N passed, N failed`, and `, N skipped` if there are any. After a failure, the lines above tell each
 * again and show the seed, to try the same values: where a log is cut, its end is kept. A file that couldn't be
 * loaded, a hook that threw and an error outside of any test each count as a failure: "0 failed" must never end
 * a failed run.
 */
export default class CountsReporter implements Reporter {
  readonly #failures: string[] = [];

  onTestCaseResult(test: TestCase): void {
    for (const error of test.result().errors ?? []) {
      const failure = `${test.module.relativeModuleId} > ${test.fullName}${described(error)}`;
      this.#failures.push(failure);
      process.stdout.write(`${failure}\n`);
    }
  }

  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors) => {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    const failures = [...this.#failures];
    failures.push(...unhandledErrors.map((error) => `outside of any test${described(error)}`));
    const countErrors = (of: string, errors: readonly SerializedError[]) => {
      counts.failed += errors.length;
      failures.push(...errors.map((error) => of + described(error)));
    };
    for (const module of modules) {
      countErrors(module.relativeModuleId, module.errors());
      for (const suite of module.children.allSuites()) {
        countErrors(`${module.relativeModuleId} > ${suite.fullName}`, suite.errors());
      }
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state] += 1;
        if (state === 'pending')
          failures.push(`${module.relativeModuleId} > ${test.fullName}: never ended`);
      }
    }
    // A test that never finished didn't pass.
    const failed = counts.failed + counts.pending;
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    if (failed > 0) {
      for (const failure of failures.slice(0, MAX_TOLD_AGAIN)) {
        process.stdout.write(`Failed: ${failure.split('\n', 1)[0]?.slice(0, MAX_LENGTH)}\n`);
      }
      process.stdout.write(`PROPERTY_SEED=${process.env.PROPERTY_SEED}\n`);
    }
    process.stdout.write(`${counts.passed} passed, ${failed} failed${skipped}\n`);
  };
}

/** Where an error was thrown, and its message; of a property's, that of what failed in it, and the property's. */
function described({ message, stacks, cause }: SerializedError): string {
  if (cause !== undefined) return `${described(cause)}\n${message}`;
  const [at] = stacks ?? [];
  return `${at === undefined ? '' : ` at ${at.file}:${at.line}`}: ${message}`;
}
