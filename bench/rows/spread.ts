import { randomBytes } from 'node:crypto';
import { DEFAULT_THRESHOLDS } from '../../src/reputation/index.ts';
import { openStore } from '../../src/storage/index.ts';
import { Client } from '../client.ts';
import type { Bench } from '../context.ts';
import { dataSet, readSample } from '../datasets.ts';
import { median, percentile } from '../latency.ts';
import { moveTo, startPostgres } from '../postgres.ts';
import { pause } from '../process.ts';
import { say } from '../progress.ts';
import { count, type Row } from '../report.ts';
import { serveFathom } from '../server.ts';

/** How soon a score changed by one process is shown by another one. */

const LIMIT_MS = 1000;

export const spread: Bench = {
  name: 'spread',
  about: 'from a commit in Postgres until another replica tells the new score',
  async run(context) {
    const set = await dataSet(context.dir, context.main);
    const cluster = await startPostgres();
    try {
      const url = await cluster.createDatabase();
      await moveTo(url, set.file, context.dir);
      const replica = await serveFathom(set.file, context.dir, {
        env: { DATABASE_URL: url },
        seconds: 120,
      });
      const client = new Client(replica.port);
      const addresses = readSample(set).slice(0, context.quick ? 20 : 200);
      try {
        return [rowOf(context.main.wallets, await timesOf(url, client, addresses))];
      } finally {
        client.close();
        await replica.stop();
      }
    } finally {
      await cluster.remove();
    }
  },
};

/** @returns milliseconds from the end of each commit to the first response that shows it */
async function timesOf(url: string, client: Client, addresses: string[]): Promise<number[]> {
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log });
  const writer = store.openWriter();
  const times: number[] = [];
  say(`${addresses.length} commits of one activity each`);
  for (const address of addresses) {
    const read = async () => {
      const { body } = await client.ask(`/v1/reputation/${address}`);
      return JSON.parse(body.toString()) as { address: string; chain: string; score: number };
    };
    const before = await read();
    const wallet = { address: before.address, chain: before.chain as 'ethereum' };
    await writer.stage({
      badges: [],
      names: [],
      activities: [
        {
          id: randomBytes(8).toString('hex'),
          wallet,
          type: 'governance_vote',
          description: 'a vote',
          points: 1_000_000,
          timestamp: 1_700_000_000,
          badge: undefined,
        },
      ],
    });
    await writer.commit();
    const committed = performance.now();
    while ((await read()).score === before.score) await pause(1);
    times.push(performance.now() - committed);
  }
  await writer.finish();
  await store.close();
  return times;
}

function rowOf(wallets: number, times: readonly number[]): Row {
  const most = Math.max(...times);
  return {
    what: `A changed score among ${count(wallets)} wallets, told by another replica`,
    fathom: `${median(times).toFixed(1)} ms, at most ${most.toFixed(0)} ms`,
    peer: '',
    limit: `≤ ${LIMIT_MS / 1000} s`,
    ratio: '',
    target: '',
    met: most <= LIMIT_MS,
    note: `from the end of one process's commit to the first answer by another that shows it, polled every millisecond; ${times.length} commits, p99 ${percentile(times, 0.99).toFixed(0)} ms.`,
  };
}
