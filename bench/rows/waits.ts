import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { check } from '../check.ts';
import { Client } from '../client.ts';
import type { Bench } from '../context.ts';
import { dataSet, readSample } from '../datasets.ts';
import { percentile, steady } from '../latency.ts';
import { tell } from '../progress.ts';
import { count, micros, type Row } from '../report.ts';
import { serveFathom } from '../server.ts';
import { STRANGERS, type StrangerWork } from '../stranger.ts';

/** The longest wait of `/v1` while one stranger does each of the things that go through much of the data. */

const STRANGER = new URL('../stranger.ts', import.meta.url);
const REQUESTS_A_SECOND = 100;
const WORST = 8;
/** Who waits has another address than the stranger, whose own requests wait for one another. */
const ELSEWHERE = '127.0.0.2';

export const waits: Bench = {
  name: 'waits',
  about: 'the longest wait of /v1 beside one stranger who streams, copies, lists and turns pages',
  async run(context) {
    const set = await dataSet(context.dir, context.main);
    const server = await serveFathom(set.file, context.dir);
    const wallets = readSample(set);
    const { port } = server;
    const client = new Client(port, ELSEWHERE);
    const seconds = context.quick ? 2 : 10;
    try {
      await check(port, set.expected);
      const measure = async (what?: StrangerWork['what']) => {
        const stranger = what && new Worker(STRANGER, { workerData: { what, port, wallets } });
        const end = performance.now() + seconds * 1000;
        const until = () => performance.now() >= end;
        const path = () => `/v1/reputation/${wallets[Math.floor(Math.random() * wallets.length)]}`;
        const samples = await steady(client, path, { perSecond: REQUESTS_A_SECOND, until });
        if (stranger !== undefined) {
          stranger.postMessage('over');
          await once(stranger, 'exit');
        }
        return samples;
      };
      const alone = await measure();
      const rows: Row[] = [];
      for (const what of STRANGERS) {
        rows.push(waitRow(what, await measure(what), alone));
        tell('waits', rows.length, STRANGERS.length);
      }
      return rows;
    } finally {
      client.close();
      await server.stop();
    }
  },
};

function waitRow(what: string, samples: readonly number[], alone: readonly number[]): Row {
  const worst = [...samples].sort((a, b) => b - a).slice(0, WORST);
  const [longest, usual] = [worst[0] ?? 0, percentile(alone, 1)];
  return {
    what: `The longest wait of /v1/reputation while one stranger ${what}`,
    fathom: micros(longest),
    peer: `${micros(usual)} alone`,
    limit: '≤ 50 ms',
    ratio: (longest / usual).toFixed(2),
    target: '',
    met: longest <= 50_000,
    note: `${count(samples.length)} requests at ${REQUESTS_A_SECOND} a second over another connection. p99 ${micros(percentile(samples, 0.99))}, alone ${micros(percentile(alone, 0.99))}. The ${WORST} longest: ${worst.map(micros).join(', ')}.`,
  };
}
