import assert from 'node:assert/strict';
import { check } from '../check.ts';
import { Client } from '../client.ts';
import type { Bench } from '../context.ts';
import { dataSet, readSample } from '../datasets.ts';
import { median } from '../latency.ts';
import { tell } from '../progress.ts';
import { count, type Row } from '../report.ts';
import { serveFathom } from '../server.ts';

/** Lists of addresses beside single requests for the same wallets over the same connections. */

const CONNECTIONS = 2;
const LENGTH = 100;
const ROUNDS = 7;

export const lists: Bench = {
  name: 'lists',
  about: `/v1/reputation?addresses= with ${LENGTH} wallets beside single requests`,
  async run(context) {
    const set = await dataSet(context.dir, context.main);
    const server = await serveFathom(set.file, context.dir);
    const clients = Array.from({ length: CONNECTIONS }, () => new Client(server.port));
    try {
      await check(server.port, set.expected);
      const wallets = readSample(set).slice(0, context.quick ? 4_000 : 40_000);
      const singles = wallets.map((address) => `/v1/reputation/${address}`);
      const together: Record<string, string[]> = {};
      for (const resource of ['reputation', 'badges']) {
        together[resource] = Array.from({ length: wallets.length / LENGTH }, (_, i) => {
          const list = wallets.slice(i * LENGTH, (i + 1) * LENGTH);
          return `/v1/${resource}?addresses=${list.join(',')}`;
        });
      }
      await compare(clients[0]!, singles, together.reputation!);
      const rows: Row[] = [];
      for (const resource of ['reputation', 'badges']) {
        const alone = singles.map((path) => path.replace('reputation', resource));
        rows.push(await measure(clients, resource, alone, together[resource]!));
        tell('lists', rows.length, 2);
      }
      return rows;
    } finally {
      for (const client of clients) client.close();
      await server.stop();
    }
  },
};

/** @throws unless a list has the records of the single requests */
async function compare(client: Client, singles: string[], lists: string[]): Promise<void> {
  const { results } = JSON.parse((await client.ask(lists[0]!)).body.toString());
  for (const [i, path] of singles.slice(0, LENGTH).entries()) {
    assert.deepEqual(results[i], JSON.parse((await client.ask(path)).body.toString()));
  }
}

/** @returns wallets a second; in turns, so that both sides meet the same machine */
async function measure(
  clients: readonly Client[],
  resource: string,
  singles: string[],
  together: string[],
): Promise<Row> {
  const speeds = { single: [] as number[], list: [] as number[] };
  for (let round = -1; round < ROUNDS; round += 1) {
    const single = await askAll(clients, singles);
    const list = await askAll(clients, together);
    // The first one warms up.
    if (round < 0) continue;
    speeds.single.push(singles.length / single);
    speeds.list.push(singles.length / list);
  }
  const ratio = median(speeds.list.map((speed, i) => speed / speeds.single[i]!));
  return {
    what: `Wallets by /v1/${resource}?addresses= with ${LENGTH} each, over ${CONNECTIONS} connections`,
    fathom: `${count(Math.round(median(speeds.list)))}/s`,
    peer: `${count(Math.round(median(speeds.single)))}/s by single requests`,
    limit: '≥ 10.00',
    ratio: ratio.toFixed(2),
    target: '',
    met: ratio >= 10,
    note: `wallets a second; ${count(singles.length)} random wallets by ${count(together.length)} lists and by single requests in turns, ${ROUNDS} rounds; medians, and of the rounds' ratios.`,
  };
}

/** Asks for everything over all connections, one request at a time on each. @returns seconds */
async function askAll(clients: readonly Client[], paths: readonly string[]): Promise<number> {
  let next = 0;
  const began = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      while (next < paths.length) {
        const { status } = await client.ask(paths[next++]!);
        if (status !== 200) throw new Error(`a request was answered with ${status}`);
      }
    }),
  );
  return (performance.now() - began) / 1000;
}
