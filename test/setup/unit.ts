import { afterAll, afterEach } from 'vitest';
import { refuseDatabaseFiles, refuseProcesses, takeRefusals } from '../support/only-memory.ts';

/** Runs before every file named `.test.ts` alone: such a file starts nothing, and its stores are in memory. */
refuseProcesses();
refuseDatabaseFiles();

/** What is refused may be caught, and the test pass for another reason. */
function failOnRefusals(): void {
  const refusals = takeRefusals();
  if (refusals.length > 0) throw new Error(refusals.join('\n'));
}
afterEach(failOnRefusals);
afterAll(failOnRefusals);
