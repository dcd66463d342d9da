import fc from 'fast-check';
import { inject, vi } from 'vitest';
import { patienceMs } from '../support/patience.ts';
import { EFFORT, SEED } from '../support/random.ts';

/** Runs before every test file; files share a process, so each must set what another may have changed. */
fc.configureGlobal({ seed: SEED });

// What tries more takes longer.
const timeout = patienceMs(inject('timeoutMs') * EFFORT);
// A wait ends before its test does, so that one that never ends says what for.
const poll = { timeout: (timeout * 5) / 6 };
vi.setConfig({ testTimeout: timeout, hookTimeout: timeout, expect: { poll } });

declare module 'vitest' {
  interface ProvidedContext {
    /** Milliseconds that a test or hook may take on a quiet machine. */
    readonly timeoutMs: number;
  }
}
