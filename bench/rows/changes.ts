import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { canonicalOf, chainOf } from '../addresses.ts';
import { Client } from '../client.ts';
import { commitVotes, openQuietly } from '../commits.ts';
import { type Bench, type Context, scratch } from '../context.ts';
import { removeFile } from '../datasets.ts';
import { median, percentile } from '../latency.ts';
import { memoryOf, pause } from '../process.ts';
import { say } from '../progress.ts';
import { count, megabytes, type Row } from '../report.ts';
import { type Running, serveFathom } from '../server.ts';

/** The feed of changes: how fast a stream has them, many streams at once, and page after page. */

const LIMIT_MS = 1000;
const STREAMS = 1_000;
const STREAMS_MEMORY = 100e6;
const PAGE = 1_000;
const ROUNDS = 5;
/** A page by HTTP with its JSON, beside reading rows and writing the same JSON in the same process. */
const LEAST_SHARE = 0.25;

type Store = Awaited<ReturnType<typeof openQuietly>>;

export const changes: Bench = {
  name: 'changes',
  about: '/v1/changes: delay, 1,000 streams, pages',
  async run(context) {
    const wallets = context.quick ? 10_000 : 100_000;
    const file = scratch(context, 'changes.db');
    removeFile(file);
    const store = await openQuietly(file);
    try {
      say(`${count(wallets)} wallets change before the service starts`);
      await commitVotes(store, 0, wallets);
      const served = async (work: (server: Running) => Promise<Row[]>) => {
        const env = { STREAMS_PER_CLIENT: String(STREAMS + 1) };
        const server = await serveFathom(file, context.dir, { env });
        return work(server).finally(() => server.stop());
      };
      const rows = await served(async (server) => [
        await pagesRow(context, server, wallets),
        await delayRow(context, server, store),
      ]);
      // A process of their own: what pages have left free would hide what streams take.
      return [...rows, ...(await served(async (server) => [await streamsRow(server, store)]))];
    } finally {
      await store.close();
      removeFile(file);
    }
  },
};

async function pagesRow(context: Context, { port }: Running, wallets: number): Promise<Row> {
  const client = new Client(port);
  const peer = openPeer(context, wallets);
  const own: number[] = [];
  const bare: number[] = [];
  try {
    // The first round warms up.
    for (let round = -1; round < ROUNDS; round += 1) {
      const speeds = [await readPages(client, wallets), peer.read()] as const;
      if (round < 0) continue;
      own.push(speeds[0]);
      bare.push(speeds[1]);
    }
  } finally {
    client.close();
    peer.close();
  }
  const ratio = median(own.map((speed, i) => speed / bare[i]!));
  return {
    what: `Pages of ${count(PAGE)} changes, one after the other`,
    fathom: `${Math.round(median(own))}/s`,
    peer: `${Math.round(median(bare))}/s read from SQLite`,
    limit: `≥ ${LEAST_SHARE}`,
    ratio: ratio.toFixed(2),
    target: '',
    met: ratio >= LEAST_SHARE,
    note: `one connection reads ${count(wallets)} changes from the oldest on, ${ROUNDS} rounds; medians, and of the rounds' ratios. The peer has the same changes as rows of a table, reads as many by its key and writes them as the same JSON, without HTTP and in one process.`,
  };
}

/** @returns pages a second */
async function readPages(client: Client, wallets: number): Promise<number> {
  let pages = 0;
  let read = 0;
  const began = performance.now();
  for (let after = '0', hasMore = true; hasMore; pages += 1) {
    const { status, body } = await client.ask(`/v1/changes?limit=${PAGE}&after=${after}`);
    if (status !== 200) throw new Error(`a page was answered with ${status}`);
    const text = body.toString('latin1');
    read += text.split('"previousScore"').length - 1;
    const [, next, more] = /"next":"([^"]+)","hasMore":(\w+)\}$/.exec(text.slice(-80)) ?? [];
    if (next === undefined) throw new Error(`a page ends with ${text.slice(-80)}`);
    after = next;
    hasMore = more === 'true';
  }
  const seconds = (performance.now() - began) / 1000;
  if (read !== wallets) throw new Error(`${read} of ${wallets} changes were read`);
  return pages / seconds;
}

/** The same changes as rows, in a database of their own. */
function openPeer(context: Context, wallets: number) {
  const file = scratch(context, 'change-rows.db');
  removeFile(file);
  const db = new DatabaseSync(file);
  db.exec(`CREATE TABLE change (
    number INTEGER PRIMARY KEY, cursor TEXT, address TEXT, chain TEXT, score INTEGER, tier TEXT, at TEXT
  ) STRICT; BEGIN`);
  const add = db.prepare('INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?)');
  for (let i = 0; i < wallets; i += 1) {
    const cursor = `1-0123456789ab-${i + 1}`;
    add.run(i + 1, cursor, canonicalOf(i), chainOf(i), 10, 'Shrimp', '2025-12-15T14:30:00Z');
  }
  db.exec('COMMIT');
  const page = db.prepare(`SELECT cursor, address, chain, score, tier, NULL AS previousScore,
    NULL AS previousTier, at FROM change WHERE number > ? ORDER BY number LIMIT ${PAGE}`);
  return {
    /** @returns pages a second */
    read(): number {
      let bytes = 0;
      const began = performance.now();
      for (let after = 0; after < wallets; after += PAGE) {
        bytes += Buffer.from(JSON.stringify({ changes: page.all(after) })).length;
      }
      const seconds = (performance.now() - began) / 1000;
      if (bytes < wallets * 100) throw new Error('the peer has read too little');
      return wallets / PAGE / seconds;
    },
    close() {
      db.close();
      removeFile(file);
    },
  };
}

/** A stream that counts its changes. */
class Stream {
  changes = 0;
  #response: IncomingMessage | undefined;

  async open(port: number): Promise<void> {
    const headers = { accept: 'text/event-stream' };
    const request: ClientRequest = get({
      ...{ port, headers, host: '127.0.0.1', path: '/v1/changes', agent: false },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`a stream got ${response.statusCode}`);
    this.#response = response;
    response.setEncoding('latin1').on('data', (text: string) => {
      this.changes += text.split('event: change').length - 1;
    });
    response.on('error', () => undefined);
  }

  close(): void {
    this.#response?.destroy();
  }
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`${what}: not within a minute`);
    await pause(1);
  }
}

async function delayRow({ quick }: Context, { port }: Running, store: Store): Promise<Row> {
  const stream = new Stream();
  await stream.open(port);
  const times: number[] = [];
  const commits = quick ? 20 : 200;
  say(`${commits} commits of one change each`);
  for (let i = 0; i < commits; i += 1) {
    const before = stream.changes;
    await commitVotes(store, 1_000_000 + i, 1);
    const committed = performance.now();
    await until(() => stream.changes > before, 'a change');
    times.push(performance.now() - committed);
    // The service looks at the file now and then, so at another moment each time.
    await pause(Math.random() * 100);
  }
  stream.close();
  const worst = percentile(times, 0.99);
  return {
    what: 'A change, from its commit by another process until a stream has it',
    fathom: `${median(times).toFixed(1)} ms, p99 ${worst.toFixed(0)} ms`,
    ...{ peer: '', limit: `≤ ${LIMIT_MS} ms`, ratio: '', target: '' },
    met: worst <= LIMIT_MS,
  };
}

async function streamsRow({ port, child }: Running, store: Store): Promise<Row> {
  const before = memoryOf(child.pid)?.now ?? 0;
  const streams = Array.from({ length: STREAMS }, () => new Stream());
  for (const stream of streams) await stream.open(port);
  let most = 0;
  const note = () => {
    most = Math.max(most, memoryOf(child.pid)?.now ?? 0);
  };
  const timer = setInterval(note, 20);
  const times: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const due = (i + 1) * 100;
    await commitVotes(store, 2_000_000 + i * 100, 100);
    const committed = performance.now();
    await until(() => streams.every((stream) => stream.changes === due), 'all streams');
    times.push(performance.now() - committed);
  }
  note();
  clearInterval(timer);
  for (const stream of streams) stream.close();
  const more = most - before;
  const worst = Math.max(...times);
  return {
    what: `${count(STREAMS)} streams at once: memory, and 100 changes until the last has them`,
    fathom: `${megabytes(more)} more, ${worst.toFixed(0)} ms`,
    ...{
      peer: '',
      limit: `< ${megabytes(STREAMS_MEMORY)}, ≤ ${LIMIT_MS} ms`,
      ratio: '',
      target: '',
    },
    met: more < STREAMS_MEMORY && worst <= LIMIT_MS,
    note: 'resident memory of the service before the first stream, and the most while five commits of 100 changes go to all of them; the slowest commit.',
  };
}
