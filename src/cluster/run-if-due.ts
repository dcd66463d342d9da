import type { Replica } from './replica.ts';

/** Fraction of the interval by which a timer may be early. */
const EARLY = 0.1;

/**
 * Runs a round that every replica has a timer for, if it's due and no other replica runs it.
 * @param kind of work, with a single item
 * @param every milliseconds between two ticks
 * @throws RetryableError if the store is unavailable; and whatever `round` throws
 */
export async function runIfDue(
  replica: Pick<Replica, 'plan' | 'takeDue' | 'finish'>,
  kind: string,
  every: number,
  round: () => Promise<void>,
): Promise<void> {
  await replica.plan(kind, ['all']);
  const due = await replica.takeDue(kind);
  if (due === undefined) return;
  const began = performance.now();
  try {
    await round();
  } finally {
    const left = every * (1 - EARLY) - (performance.now() - began);
    await replica.finish(due, Math.max(0, left) / 1000, '');
  }
}
