import { check } from '../check.ts';
import { Client } from '../client.ts';
import type { Bench, Context } from '../context.ts';
import { type DataSet, dataSet, readSample } from '../datasets.ts';
import { median, percentile, time } from '../latency.ts';
import { say, tell } from '../progress.ts';
import { count, micros, type Row } from '../report.ts';
import { type Running, serveFathom } from '../server.ts';

/** Row 3: a thousand times as many wallets, the same latency. */

interface Side {
  readonly client: Client;
  readonly addresses: string[];
  readonly wallets: number;
}

const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;
const offset = (side: Side) => Math.floor(Math.random() * (side.wallets - 100));

const RESOURCES: Record<string, (side: Side) => string> = {
  '/v1/reputation': (side) => `/v1/reputation/${any(side.addresses)}`,
  '/v1/badges': (side) => `/v1/badges/${any(side.addresses)}`,
  '/v1/leaderboard?limit=100': (side) => `/v1/leaderboard?limit=100&offset=${offset(side)}`,
  '/v1/activity': (side) => `/v1/activity/${any(side.addresses)}`,
  '/v1/stats/global': () => '/v1/stats/global',
};

export const size: Bench = {
  name: 'size',
  about: 'p99 of every resource over many wallets beside few',
  async run(context) {
    const sets = [
      await dataSet(context.dir, context.small),
      await dataSet(context.dir, context.big),
    ];
    const servers: Running[] = [];
    try {
      for (const set of sets) {
        const server = await serveFathom(set.file, context.dir, { seconds: 120 });
        servers.push(server);
        await check(server.port, set.expected);
      }
      // Only now: an idle connection would have been closed while the big one starts.
      const sides = sets.map((set, i) => sideOf(servers[i]!, set));
      const rows = await measureAll(context, sides[0]!, sides[1]!);
      for (const { client } of sides) client.close();
      return rows;
    } finally {
      for (const server of servers) await server.stop();
    }
  },
};

function sideOf(server: Running, set: DataSet): Side {
  const client = new Client(server.port);
  return { client, addresses: readSample(set), wallets: set.shape.wallets };
}

/** A resource's p99s, one pair per round. */
interface Tails {
  readonly small: number[];
  readonly big: number[];
}

async function measureAll({ quick }: Context, small: Side, big: Side): Promise<Row[]> {
  const [rounds, n] = quick ? [3, 150] : [9, 2500];
  const tails = new Map<string, Tails>();
  for (const name of Object.keys(RESOURCES)) tails.set(name, { small: [], big: [] });
  say(`${rounds} rounds of ${count(n)} requests a resource and size`);
  // The first round only warms both up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, path] of Object.entries(RESOURCES)) {
      const [a, b] = await runStepsYielding(small, big, path, n);
      tell('requests', round, rounds);
      if (round === 0) continue;
      tails.get(name)!.small.push(percentile(a, 0.99));
      tails.get(name)!.big.push(percentile(b, 0.99));
    }
  }
  return [...tails].map(([name, each]) => rowOf(name, each, small.wallets, big.wallets, n));
}

/** Alternating requests, so that any disturbance of the machine affects both. */
async function runStepsYielding(
  small: Side,
  big: Side,
  path: (side: Side) => string,
  n: number,
): Promise<[number[], number[]]> {
  const samples: [number[], number[]] = [[], []];
  for (let i = 0; i < n; i += 1) {
    const order = i % 2 === 0 ? [0, 1] : [1, 0];
    for (const at of order) {
      const side = at === 0 ? small : big;
      samples[at]!.push(await time(side.client, path(side)));
    }
  }
  return samples;
}

function rowOf(name: string, tails: Tails, few: number, many: number, n: number): Row {
  const ratio = median(tails.big.map((big, i) => big / tails.small[i]!));
  return {
    what: `${name}, p99 over ${count(many)} wallets`,
    fathom: micros(median(tails.big)),
    peer: `${micros(median(tails.small))} over ${count(few)} wallets`,
    limit: '≤ 1.50',
    ratio: ratio.toFixed(2),
    target: '',
    met: ratio <= 1.5,
    note: `two Fathom servers at once, asked alternately for random wallets and offsets; ${tails.big.length} rounds of ${count(n)} requests each, medians of the rounds' p99 and of their ratios.`,
  };
}
