import { afterAll, beforeAll, expect } from 'vitest';
import { type Cluster, startCluster } from '../../../bench/servers/postgres/cluster.ts';
import { createMigratedDatabase } from './migrated.ts';
import { type Operations, openOperations } from './operations.ts';

/** How often both try: by day enough to meet each other, every night more. */
export const roundsOf = (effort: number): number => (effort === 1 ? 12 : 40);

/** The result, or the error that was thrown. */
type Outcome<T> = T | Error;

/** Two replicas on one database that do things at the same moment. */
export interface Racers {
  readonly left: Operations;
  readonly right: Operations;
  /** Both do it at once, for several rounds, numbered from 0. */
  race<T>(
    work: (store: Operations, round: number, side: 0 | 1) => T | Promise<T>,
    judge: (outcomes: readonly Outcome<Awaited<T>>[], round: number) => void | Promise<void>,
  ): Promise<void>;
}

/** For all tests of a file. */
export function useRacers(rounds: number): Racers {
  let cluster: Cluster;
  let both: readonly [Operations, Operations];
  beforeAll(async () => {
    cluster = await startCluster();
    const url = await createMigratedDatabase(cluster);
    both = [openOperations(url), openOperations(url)];
  });
  afterAll(async () => {
    for (const { db } of both) await db.close();
    await cluster.remove();
  });
  return {
    get left() {
      return both[0];
    },
    get right() {
      return both[1];
    },
    async race(work, judge) {
      for (let round = 0; round < rounds; round += 1) {
        const sides = both.map(async (store, side) => await work(store, round, side ? 1 : 0));
        const settled = await Promise.allSettled(sides);
        const outcomes = settled.map((each) =>
          each.status === 'fulfilled' ? each.value : (each.reason as Error),
        );
        await judge(outcomes, round);
      }
    },
  };
}

/** Asserts that one got true and the other false. */
export function oneIsTrue(outcomes: readonly unknown[]): void {
  expect(outcomes.toSorted()).toEqual([false, true]);
}
