import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that an answer waits for a count. */
export const COUNT_PATIENCE_MS = 1_000;
/** How many times longer than each step to rest, so that other work hardly notices. */
const REST = 2;

/** Counts in steps, with a rest after each. @param step returns whether it was the last */
export async function inSteps(step: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const from = performance.now();
    if (await step()) return;
    await sleep(REST * (performance.now() - from), undefined, { ref: false });
  }
}

/** The clocks by which days begin, and counts are due. */
export interface GainClocks {
  /** Seconds since 1970. */
  readonly now?: () => number;
  /** Milliseconds. */
  readonly monotonic?: () => number;
}
