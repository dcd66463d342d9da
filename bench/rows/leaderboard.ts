import { check } from '../check.ts';
import { Client } from '../client.ts';
import type { Bench } from '../context.ts';
import { dataSet } from '../datasets.ts';
import { median, percentile, time } from '../latency.ts';
import { tell } from '../progress.ts';
import { count, micros, type Row } from '../report.ts';
import { serveFathom } from '../server.ts';

/** Row 2: a page deep in the leaderboard beside the first one. */

const CHAINS = ['all', 'eth', 'sol', 'algo'];
const LIMIT = 100;

export const leaderboard: Bench = {
  name: 'leaderboard',
  about: '/v1/leaderboard at any offset beside offset 0',
  async run(context) {
    const set = await dataSet(context.dir, context.main);
    const server = await serveFathom(set.file, context.dir);
    try {
      await check(server.port, set.expected);
      const client = new Client(server.port);
      const rows: Row[] = [];
      for (const chain of CHAINS) {
        const total = set.expected.places[chain]!.at(-1)![0] + 1;
        rows.push(await measure(client, chain, total, context.quick ? 200 : 4000));
        tell('leaderboard', rows.length, CHAINS.length);
      }
      client.close();
      return rows;
    } finally {
      await server.stop();
    }
  },
};

async function measure(client: Client, chain: string, total: number, n: number): Promise<Row> {
  const samples = { first: [] as number[], random: [] as number[], end: [] as number[] };
  const last = Math.max(0, total - LIMIT);
  const warmUp = Math.floor(n / 4);
  const page = (offset: number) => `/v1/leaderboard?limit=${LIMIT}&offset=${offset}&chain=${chain}`;
  for (let i = 0; i < n + warmUp; i += 1) {
    // Neighbouring offsets at the end, so that only the first page is requested repeatedly.
    const first = await time(client, page(0));
    const random = await time(client, page(Math.floor(Math.random() * (last + 1))));
    const end = await time(client, page(Math.max(0, last - (i % 50))));
    if (i < warmUp) continue;
    samples.first.push(first);
    samples.random.push(random);
    samples.end.push(end);
  }
  const base = median(samples.first);
  const worst = Math.max(median(samples.random), median(samples.end));
  const ratio = worst / base;
  const p99s = Object.entries(samples).map(([at, all]) => `${at} ${micros(percentile(all, 0.99))}`);
  return {
    what: `/v1/leaderboard?limit=${LIMIT}&chain=${chain} at any offset up to ${count(last)}`,
    fathom: `${micros(median(samples.random))}, at the end ${micros(median(samples.end))}`,
    peer: `${micros(base)} at offset 0`,
    limit: '≤ 1.20',
    ratio: ratio.toFixed(2),
    target: '',
    met: ratio <= 1.2,
    note: `medians of ${count(n)} requests each, alternating over one connection; the slower of random and end counts. p99: ${p99s.join(', ')}.`,
  };
}
