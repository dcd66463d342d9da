import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { commitVotes, openQuietly } from '../commits.ts';
import { type Bench, type Context, scratch } from '../context.ts';
import { removeFile } from '../datasets.ts';
import { median, percentile } from '../latency.ts';
import { pause } from '../process.ts';
import { say } from '../progress.ts';
import { count, perSecond, type Row } from '../report.ts';
import { serveFathom } from '../server.ts';

/** How fast changes reach a webhook: many that wait, and one that was just committed. */

/** As many as a webhook sends at once. */
const CONNECTIONS = 4;
const LIMIT_MS = 1000;
/**
 * A bare request has its body at hand. A delivery also takes 100 changes from the database, writes 29 KB of JSON,
 * signs it by the library of Standard Webhooks, whose SHA-256 is JavaScript, and keeps account of what was
 * delivered: some tenth of its time each.
 */
const LEAST_SHARE = 0.15;

export const webhooks: Bench = {
  name: 'webhooks',
  about: 'changes sent to a receiver that takes everything',
  async run(context) {
    const wallets = context.quick ? 5_000 : 50_000;
    const file = scratch(context, 'webhooks.db');
    removeFile(file);
    const receiver = await startReceiver();
    const store = await openQuietly(file);
    try {
      await store.webhooks.add({
        ...{ id: 'wh_bench', url: receiver.url, events: ['score.changed'], chain: 'all' },
        ...{
          minTier: undefined,
          createdAt: 0,
          secret: `whsec_${randomBytes(32).toString('base64')}`,
        },
      });
      say(`${count(wallets)} wallets change before the service starts`);
      await commitVotes(store, 0, wallets);
      const env = { PRIVATE_NETWORKS: '127.0.0.0/8' };
      const server = await serveFathom(file, context.dir, { env });
      try {
        await receiver.until(wallets);
        const rows = [await loadRow(receiver, wallets)];
        return [...rows, await delayRow(context, receiver, (from) => commitVotes(store, from, 1))];
      } finally {
        await server.stop();
      }
    } finally {
      await store.close();
      receiver.close();
      removeFile(file);
    }
  },
};

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Notes when events arrive. */
async function startReceiver() {
  const bodies: string[] = [];
  let events = 0;
  let firstAt = 0;
  let lastAt = 0;
  const server = createServer(async (req, res) => {
    const text = Buffer.concat(await req.toArray()).toString();
    res.writeHead(204).end();
    if (req.url !== '/hook') return;
    lastAt = performance.now();
    if (bodies.length === 0) firstAt = lastAt;
    bodies.push(text);
    events += text.split('"cursor"').length - 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/hook`,
    /** Takes requests that don't count. */
    other: `${origin}/other`,
    bodies,
    seconds: () => (lastAt - firstAt) / 1000,
    async until(least: number) {
      const end = performance.now() + 120_000;
      while (events < least && performance.now() < end) await pause(1);
      if (events < least) throw new Error(`only ${events} of ${least} events arrived`);
    },
    events: () => events,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function loadRow(receiver: Receiver, wallets: number): Promise<Row> {
  const bodies = [...receiver.bodies];
  const own = bodies.length / receiver.seconds();
  say(`${bodies.length} requests with the same bodies by undici`);
  const agent = new Agent({ connections: CONNECTIONS });
  const began = performance.now();
  const left = bodies.values();
  const send = async () => {
    for (const body of left) {
      const options = { method: 'POST', dispatcher: agent, body } as const;
      await (await request(receiver.other, options)).body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  const bare = bodies.length / ((performance.now() - began) / 1000);
  await agent.close();
  return {
    what: `Deliveries of ${count(wallets)} waiting changes, 100 each`,
    fathom: `${perSecond(own)} (${count(Math.round(wallets / receiver.seconds()))} changes/s)`,
    peer: `undici, bodies at hand ${perSecond(bare)}`,
    limit: `≥ ${LEAST_SHARE}`,
    ratio: (own / bare).toFixed(2),
    target: '',
    met: own / bare >= LEAST_SHARE,
    note: 'a delivery also reads its changes, writes them as JSON, signs 29 KB and keeps account of what was delivered.',
  };
}

async function delayRow(
  { quick }: Context,
  receiver: Receiver,
  change: (from: number) => Promise<void>,
): Promise<Row> {
  const times: number[] = [];
  const commits = quick ? 20 : 200;
  say(`${commits} commits of one change each`);
  for (let i = 0; i < commits; i += 1) {
    const before = receiver.events();
    await change(1_000_000 + i);
    const committed = performance.now();
    await receiver.until(before + 1);
    times.push(performance.now() - committed);
    // The service looks at the file now and then, so at another moment each time.
    await pause(Math.random() * 100);
  }
  const worst = percentile(times, 0.99);
  return {
    what: 'A change, from its commit by another process until a receiver has it',
    fathom: `${median(times).toFixed(1)} ms, p99 ${worst.toFixed(0)} ms`,
    ...{ peer: '', limit: `≤ ${LIMIT_MS} ms`, ratio: '', target: '' },
    met: worst <= LIMIT_MS,
  };
}
