import { copyFileSync } from 'node:fs';
import { type Bench, scratch } from '../context.ts';
import { dataSet } from '../datasets.ts';
import { median } from '../latency.ts';
import { type LoadResult, missingWrk } from '../load.ts';
import { memoryOf } from '../process.ts';
import { count, megabytes, micros, notMeasured, perSecond, type Row } from '../report.ts';
import { rounds } from '../rounds.ts';
import { type Running, START, serveFathom } from '../server.ts';

/** What Node's flags of `npm start` cost and save: the same service with and without each, in turns. */

const [SEMI, POOL] = START;
const VARIANTS = {
  both: START,
  none: [],
  semi: [SEMI],
  pool: [POOL],
} as const satisfies Record<string, readonly string[]>;
type Side = keyof typeof VARIANTS;

export const flags: Bench = {
  name: 'flags',
  about: 'the flags of npm start: throughput, p99 and memory with and without each',
  async run(context) {
    const what = `Random /v1/reputation over ${count(context.main.wallets)} wallets`;
    if (missingWrk !== undefined) return [notMeasured(what, '', missingWrk)];
    const set = await dataSet(context.dir, context.main);
    const servers = new Map<Side, Running>();
    try {
      for (const [side, own] of Object.entries(VARIANTS)) {
        // A file is for one process.
        const file = scratch(context, `flags-${side}.db`);
        copyFileSync(set.file, file);
        servers.set(side as Side, await serveFathom(file, context.dir, { flags: own }));
      }
      const results = await rounds(context, set, servers, 7);
      return [...servers].map(([side, { child }]) =>
        rowOf(what, side, results, memoryOf(child.pid)?.peak ?? 0),
      );
    } finally {
      for (const each of servers.values()) await each.stop();
    }
  },
};

function rowOf(
  what: string,
  side: Side,
  results: ReadonlyMap<Side, LoadResult[]>,
  peak: number,
): Row {
  const own = results.get(side) ?? [];
  const base = results.get('both') ?? [];
  const speed = median(own.map((each) => each.requestsPerSecond));
  // Of the same round, as the machine's speed drifts.
  const ratios = own.map((each, i) => each.requestsPerSecond / (base[i]?.requestsPerSecond ?? 1));
  return {
    what: `${what}, ${VARIANTS[side].join(' ') || 'no flags'}`,
    fathom: `${perSecond(speed)}, p99 ${micros(median(own.map(({ p99 }) => p99)))}`,
    peer: megabytes(peak),
    ...{ limit: '', target: '', met: undefined },
    ratio: median(ratios).toFixed(2),
    note: "Flags: the ratio is to both flags in the same round; beside it, each process's peak of memory.",
  };
}
