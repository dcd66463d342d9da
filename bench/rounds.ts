import type { Context } from './context.ts';
import type { DataSet } from './datasets.ts';
import { type LoadResult, load } from './load.ts';
import { say, tell } from './progress.ts';
import type { Running } from './server.ts';

/** Puts servers under load in turns, one at a time, after a warm-up round. @param most rounds */
export async function rounds<Side extends string>(
  { quick, dir }: Context,
  set: DataSet,
  servers: ReadonlyMap<Side, Running>,
  most: number,
): Promise<Map<Side, LoadResult[]>> {
  const [number, length] = quick ? [2, 1] : [most, 5];
  const sides = [...servers.keys()];
  for (const side of sides) await load(servers.get(side)!.port, set.sample, length, dir);
  const results = new Map<Side, LoadResult[]>(sides.map((side) => [side, []]));
  say(`${number} rounds of ${length} s a server`);
  for (let round = 0; round < number; round += 1) {
    // Back and forth, so that no side always follows the same other.
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      results.get(side)!.push(await load(servers.get(side)!.port, set.sample, length, dir));
      tell('load', round, number);
    }
  }
  return results;
}
