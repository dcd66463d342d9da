import type { Client } from './client.ts';
import { pause } from './process.ts';

/** Times of single requests, in microseconds. */

/** @throws if the status isn't 200: errors are cheap and would look like speed */
export async function time(client: Client, path: string): Promise<number> {
  const answer = await client.ask(path);
  if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`);
  return answer.micros;
}

/**
 * The time below which this share of the samples lies.
 * @param share 0.5 for the median, 0.99 for p99
 */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new Error('there are no samples');
  const sorted = Float64Array.from(samples).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export const median = (samples: readonly number[]): number => {
  const sorted = Float64Array.from(samples).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
};

/**
 * Sends requests at a steady rate until told to stop. A request that was due while the one before
 * it was unanswered is timed from when it was due, so a stall counts for every request that it
 * delays. If the client itself is late (timers are), the whole plan moves, as that isn't the
 * server's fault.
 */
export async function steady(
  client: Client,
  path: () => string,
  options: { perSecond: number; until: () => boolean },
): Promise<number[]> {
  const samples: number[] = [];
  const gap = 1000 / options.perSecond;
  let due = performance.now();
  let free = due;
  while (!options.until()) {
    const now = performance.now();
    if (now < due) await pause(due - now);
    const held = Math.max(0, free - due);
    const late = Math.max(0, performance.now() - Math.max(due, free));
    samples.push((await time(client, path())) + held * 1000);
    free = performance.now();
    due += gap + late;
  }
  return samples;
}
