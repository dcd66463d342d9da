import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work in small steps. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Lets everything else have its turn between two steps. @throws the signal's reason */
export async function runStepsYielding<T>(steps: Steps<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn(undefined, { signal });
  }
}
