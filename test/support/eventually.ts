import { vi } from 'vitest';
import { waitMs } from './test-time.ts';

// What a test sets in their place doesn't count.
const { setTimeout } = globalThis;
const now = performance.now.bind(performance);

/**
 * Waits until a condition holds; the test fails if it never does. Expecting it each time, as `expect.poll` does, would
 * keep a tenth of a core busy.
 */
export async function eventually(holds: () => unknown): Promise<void> {
  let fault: unknown;
  for (const end = now() + waitMs(); now() < end; ) {
    try {
      if (await holds()) return;
      fault = undefined;
    } catch (error) {
      fault = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`it was never so: ${holds}`, { cause: fault });
}

/** Waits until a check no longer throws. @returns its result */
export const untilPasses = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: waitMs(), interval: 20 });
