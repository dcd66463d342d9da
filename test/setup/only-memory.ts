import { afterAll, afterEach } from 'vitest';
import { refuseDatabaseFiles, refuseProcesses, takeRefusals } from '../support/only-memory.ts';

/** Runs before units and files named `.chain.test.ts` or `.platform.test.ts`: they start nothing, with stores in memory. */
refuseProcesses();
refuseDatabaseFiles();

/** What is refused may be caught, and the test pass for another reason. */
function failOnRefusals(): void {
  const refusals = takeRefusals();
  if (refusals.length > 0) throw new Error(refusals.join('\n'));
}
afterEach(failOnRefusals);
afterAll(failOnRefusals);
