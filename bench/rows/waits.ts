import { type ClientRequest, get } from 'node:http';
import { check } from '../check.ts';
import { Client } from '../client.ts';
import type { Bench } from '../context.ts';
import { dataSet, readSample } from '../datasets.ts';
import { percentile, steady } from '../latency.ts';
import { pause } from '../process.ts';
import { tell } from '../progress.ts';
import { count, micros, type Row } from '../report.ts';
import { type Running, serveFathom } from '../server.ts';

/** The longest wait of `/v1` while one stranger does each of the things that go through much of the data. */

const REQUESTS_A_SECOND = 100;
const STREAMS = 20;
const WORST = 8;

/** One stranger, who goes on until told to stop. */
type Stranger = (server: Running, isOver: () => boolean) => Promise<void>;

export const waits: Bench = {
  name: 'waits',
  about: 'the longest wait of /v1 beside one stranger who streams, copies, lists and turns pages',
  async run(context) {
    const set = await dataSet(context.dir, context.main);
    const server = await serveFathom(set.file, context.dir);
    const wallets = readSample(set);
    const client = new Client(server.port);
    const seconds = context.quick ? 2 : 10;
    const lists = chunks(wallets, 100).map((each) => `/v1/reputation?addresses=${each.join(',')}`);
    const strangers: Record<string, Stranger> = {
      'copies the leaderboard': reader(pagesOf('/v1/leaderboard?limit=500&offset=', 500)),
      'reads lists of 100 wallets': reader(cycle(lists)),
      'goes through activities': reader(
        cycle(wallets.map((each) => `/v1/activity/${each}?limit=200`)),
      ),
      'reads changes of one chain': follower('/v1/changes?limit=1000&chain=algo'),
      [`has ${STREAMS} streams that catch up`]: streamer,
      'turns pages of wallets': reader(cycle(wallets.map((each) => `/wallet/${each}`))),
      'turns pages of the leaderboard': reader(pagesOf('/leaderboard?page=', 1, 1)),
    };
    try {
      await check(server.port, set.expected);
      const measure = async (stranger: Stranger) => {
        let isOver = false;
        const doing = stranger(server, () => isOver);
        const end = performance.now() + seconds * 1000;
        const until = () => performance.now() >= end;
        const path = () => `/v1/reputation/${wallets[Math.floor(Math.random() * wallets.length)]}`;
        const samples = await steady(client, path, { perSecond: REQUESTS_A_SECOND, until });
        isOver = true;
        await doing;
        return samples;
      };
      const alone = await measure(async () => undefined);
      const rows: Row[] = [];
      for (const [what, stranger] of Object.entries(strangers)) {
        rows.push(waitRow(what, await measure(stranger), alone));
        tell('waits', rows.length, Object.keys(strangers).length);
      }
      return rows;
    } finally {
      client.close();
      await server.stop();
    }
  },
};

/** One request after the other, as fast as they are answered. */
function reader(next: () => string): Stranger {
  return async ({ port }, isOver) => {
    const client = new Client(port);
    while (!isOver()) {
      const { status } = await client.ask(next());
      // A page past the end, or the limit of pages: what is refused costs others nothing.
      if (status !== 200) await pause(5);
    }
    client.close();
  };
}

function follower(path: string): Stranger {
  return async ({ port }, isOver) => {
    const client = new Client(port);
    let after = '0';
    while (!isOver()) {
      const { body } = await client.ask(`${path}&after=${after}`);
      const [, next, more] =
        /"next":"([^"]+)","hasMore":(\w+)\}$/.exec(body.toString('latin1')) ?? [];
      after = more === 'true' && next !== undefined ? next : '0';
    }
    client.close();
  };
}

/** Each stream that has read enough begins again with the oldest. */
const streamer: Stranger = async ({ port }, isOver) => {
  const requests = new Set<ClientRequest>();
  const open = (): void => {
    if (isOver()) return;
    const headers = { Accept: 'text/event-stream' };
    const request = get({ host: '127.0.0.1', port, path: '/v1/changes?after=0', headers });
    requests.add(request);
    const again = () => {
      if (!requests.delete(request)) return;
      request.destroy();
      open();
    };
    request.on('error', again);
    request.on('response', (response) => {
      let bytes = 0;
      response.on('error', again).on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > 50e6) again();
      });
    });
  };
  for (let i = 0; i < STREAMS; i += 1) open();
  while (!isOver()) await pause(20);
  for (const request of requests) request.destroy();
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

function cycle(paths: readonly string[]): () => string {
  let at = 0;
  return () => paths[at++ % paths.length] ?? '/';
}

function pagesOf(path: string, step: number, from = 0): () => string {
  let at = 0;
  return () => `${path}${from + step * (at++ % 1_000)}`;
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.floor(all.length / size) }, (_, i) =>
    all.slice(i * size, (i + 1) * size),
  );
}
