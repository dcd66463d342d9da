import type { Replica } from '#core/work/replica';

/** Part of the time between two rounds by which a timer may be early. */
const EARLY = 0.1;

/**
 * Does a round of something that all replicas have a timer for, if it is due and nobody is at it.
 * @param kind of work; it has one piece
 * @param every milliseconds between two ticks of the timer
 * @throws RetryableError when the store can't be asked; and whatever `round` throws
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
