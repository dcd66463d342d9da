import { inject } from 'vitest';
import { patienceMs } from './patience.ts';
import { EFFORT } from './random.ts';

/** Milliseconds that a test or hook of this file may take. What tries more takes longer. */
export const testMs = (): number => patienceMs(inject('timeoutMs') * EFFORT);

/** The longest wait within a test. It ends before the test does, so that one that never ends says what for. */
export const waitMs = (): number => (testMs() * 5) / 6;

declare module 'vitest' {
  interface ProvidedContext {
    /** Milliseconds that a test or hook may take on a quiet machine. */
    readonly timeoutMs: number;
  }
}
