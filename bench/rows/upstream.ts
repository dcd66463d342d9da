import { writeFileSync } from 'node:fs';
import { Client } from '../client.ts';
import { type Bench, type Context, scratch } from '../context.ts';
import { dataSet, readSample, removeFile } from '../datasets.ts';
import { median } from '../latency.ts';
import { load, missingWrk } from '../load.ts';
import { freePort } from '../process.ts';
import { say, tell } from '../progress.ts';
import { notMeasured, perSecond, type Row, seconds } from '../report.ts';
import { type Running, serveFathom } from '../server.ts';

/** An instance that answers from another one. */

/** Requests allowed at once to the other instance without a key, with room for retries. */
const CACHED = 40;
const SAME = 200;
const DIFFERENT = 1_000;
const PER_MINUTE = 100;
/** The longest wait of a `/v1` client, with a little for the network. */
const DEADLINE_SECONDS = 6;

export const upstream: Bench = {
  name: 'upstream',
  about: 'an instance that answers from another',
  async run(context) {
    const set = await dataSet(context.dir, context.main);
    const addresses = readSample(set);
    const above = await serveFathom(set.file, context.dir);
    try {
      const cached = await cachedRow(context, above, addresses.slice(0, CACHED));
      return [cached, ...(await crowdRows(context, above, addresses.slice(CACHED)))];
    } finally {
      await above.stop();
    }
  },
};

/** An instance with only UPSTREAM_URL. */
async function below(above: Running, cwd: string) {
  const metricsPort = await freePort();
  const env = {
    DATABASE_URL: 'sqlite::memory:',
    UPSTREAM_URL: `http://127.0.0.1:${above.port}/v1`,
    METRICS_PORT: String(metricsPort),
  };
  const server = await serveFathom('', cwd, { env });
  return { ...server, asked: () => requestsOf(metricsPort) };
}

/** How many requests it has sent. */
async function requestsOf(metricsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const counts = text.matchAll(/^fathom_upstream_requests_total\{[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, number]) => sum + Number(number), 0);
}

async function cachedRow(context: Context, above: Running, wallets: string[]): Promise<Row> {
  const what = `Answers that are kept of another instance (${CACHED} wallets), cost of one`;
  if (missingWrk !== undefined) return notMeasured(what, '≤ 1.30', missingWrk);
  const { dir, quick } = context;
  const sample = scratch(context, 'cached.txt');
  writeFileSync(sample, `${wallets.join('\n')}\n`);
  const server = await below(above, dir);
  try {
    const client = new Client(server.port);
    for (const wallet of wallets) await client.ask(`/v1/reputation/${wallet}`);
    client.close();
    const [rounds, length] = quick ? [2, 1] : [7, 3];
    const rates: { own: number; kept: number }[] = [];
    const rateOf = async ({ port }: Running) =>
      (await load(port, sample, length, dir)).requestsPerSecond;
    await rateOf(above);
    await rateOf(server);
    say(`${rounds} rounds of ${length} s a server`);
    for (let round = 0; round < rounds; round += 1) {
      // Back and forth, so that neither always follows the other.
      const order = round % 2 === 0 ? [above, server] : [server, above];
      const measured = new Map<Running, number>();
      for (const each of order) measured.set(each, await rateOf(each));
      rates.push({ own: measured.get(above)!, kept: measured.get(server)! });
      tell('load', round, rounds);
    }
    const ratio = median(rates.map(({ own, kept }) => own / kept));
    return {
      what,
      fathom: `${perSecond(median(rates.map(({ kept }) => kept)))}`,
      peer: `${perSecond(median(rates.map(({ own }) => own)))} from the embedded store`,
      limit: '≤ 1.30',
      ratio: ratio.toFixed(2),
      target: '',
      met: ratio <= 1.3,
      note: `two instances, one with the data and one with only UPSTREAM_URL, alternately under the load of the first rows on one core, for the same few wallets; ${rounds} rounds, medians. Meanwhile the answers are refreshed in the background, as always.`,
    };
  } finally {
    await server.stop();
    removeFile(sample);
  }
}

async function crowdRows(context: Context, above: Running, wallets: string[]): Promise<Row[]> {
  const alike = await below(above, context.dir);
  let sameAsked: number;
  try {
    await crowd(
      alike,
      Array.from({ length: SAME }, () => wallets[0]!),
    );
    sameAsked = await alike.asked();
  } finally {
    await alike.stop();
  }
  const server = await below(above, context.dir);
  try {
    const result = await crowd(server, wallets.slice(0, DIFFERENT));
    const asked = await server.asked();
    const note = `over as many connections at once; ${result.answered} were answered, the others were told when to retry (503 with Retry-After).`;
    return [
      {
        ...{ what: `${SAME} who ask for one wallet at once, requests to the other instance` },
        ...{ fathom: String(sameAsked), peer: '', limit: '= 1', ratio: '', target: '' },
        met: sameAsked === 1,
      },
      {
        ...{ what: `${DIFFERENT} who ask for a wallet each at once, requests in that minute` },
        ...{ fathom: String(asked), peer: '', limit: `≤ ${PER_MINUTE}`, ratio: '', target: '' },
        met: asked <= PER_MINUTE && result.answered === asked,
        note,
      },
      {
        ...{ what: `${DIFFERENT} who ask for a wallet each at once, longest wait` },
        ...{ fathom: seconds(result.longest), peer: '', ratio: '', target: '' },
        limit: `≤ ${DEADLINE_SECONDS} s`,
        met: result.longest <= DEADLINE_SECONDS,
        note,
      },
    ];
  } finally {
    await server.stop();
  }
}

/** All at once. @throws if one gets anything but a record or "not now" */
async function crowd({ port }: Running, wallets: readonly string[]) {
  const began = performance.now();
  const clients = wallets.map(() => new Client(port));
  const statuses = await Promise.all(
    wallets.map(async (wallet, i) => (await clients[i]!.ask(`/v1/reputation/${wallet}`)).status),
  );
  const longest = (performance.now() - began) / 1000;
  for (const client of clients) client.close();
  const others = statuses.filter((status) => status !== 200 && status !== 503);
  if (others.length > 0) throw new Error(`some were answered with ${others[0]}`);
  return { longest, answered: statuses.filter((status) => status === 200).length };
}
