import { once } from 'node:events';
import { type ClientRequest, get } from 'node:http';
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { Client } from './client.ts';
import { pause } from './process.ts';

/**
 * A thread that does one of the things that go through much of the data, until it's told to stop. In a thread of its
 * own, as what it reads would otherwise hold up the requests whose wait is measured.
 */

export const STREAMS = 20;

/** What a stranger may do, by the words of its row. */
export const STRANGERS = [
  'copies the leaderboard',
  'pipelines 500 requests for the leaderboard',
  'reads lists of 100 wallets',
  'goes through activities',
  'reads changes of one chain',
  `has ${STREAMS} streams that catch up`,
  'turns pages of wallets',
  'turns pages of the leaderboard',
] as const;

export interface StrangerWork {
  readonly what: (typeof STRANGERS)[number];
  readonly port: number;
  readonly wallets: readonly string[];
}

/** Goes on until told to stop. */
type Stranger = (port: number, isOver: () => boolean) => Promise<void>;

function strangerOf({ what, wallets }: StrangerWork): Stranger {
  switch (what) {
    case 'copies the leaderboard':
      return reader(pagesOf('/v1/leaderboard?limit=500&offset=', 500));
    case 'pipelines 500 requests for the leaderboard':
      return pipeliner('/v1/leaderboard?limit=500', 500);
    case 'reads lists of 100 wallets':
      return reader(
        cycle(chunks(wallets, 100).map((each) => `/v1/reputation?addresses=${each.join(',')}`)),
      );
    case 'goes through activities':
      return reader(cycle(wallets.map((each) => `/v1/activity/${each}?limit=200`)));
    case 'reads changes of one chain':
      return follower('/v1/changes?limit=1000&chain=algo');
    case 'turns pages of wallets':
      return reader(cycle(wallets.map((each) => `/wallet/${each}`)));
    case 'turns pages of the leaderboard':
      return reader(pagesOf('/leaderboard?page=', 1, 1));
    default:
      return streamer;
  }
}

/** One request after the other, as fast as they are answered. */
function reader(next: () => string): Stranger {
  return async (port, isOver) => {
    const client = new Client(port);
    while (!isOver()) {
      const { status } = await client.ask(next());
      // A page past the end, or the limit of pages: what is refused costs others nothing.
      if (status !== 200) await pause(5);
    }
    client.close();
  };
}

function pipeliner(path: string, requests: number): Stranger {
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\n`;
  return async (port, isOver) => {
    while (!isOver()) {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.write(`${`${request}\r\n`.repeat(requests - 1)}${request}Connection: close\r\n\r\n`);
      socket.resume();
      await once(socket, 'close');
    }
  };
}

function follower(path: string): Stranger {
  return async (port, isOver) => {
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
const streamer: Stranger = async (port, isOver) => {
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

if (parentPort !== null) {
  const work = workerData as StrangerWork;
  let isOver = false;
  parentPort.once('message', () => {
    isOver = true;
  });
  await strangerOf(work)(work.port, () => isOver);
  parentPort.close();
}
