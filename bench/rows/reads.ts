import { copyFileSync, rmSync } from 'node:fs';
import { getPriority } from 'node:os';
import { check } from '../check.ts';
import { Client } from '../client.ts';
import { type Bench, type Context, scratch } from '../context.ts';
import type { Shape } from '../data.ts';
import { dataSet, readSample, removeFile, textFile } from '../datasets.ts';
import { importData } from '../importer.ts';
import { median, percentile, steady } from '../latency.ts';
import { CORES, hurry, pause, pinMyself } from '../process.ts';
import { say } from '../progress.ts';
import { count, micros, type Row, seconds } from '../report.ts';
import { serveFathom } from '../server.ts';
import { expect } from '../tally.ts';

/** Row 5: reads during an import into the same file. */

const PER_SECOND = 500;

export const reads: Bench = {
  name: 'reads',
  about: 'reads during an import beside reads without one',
  async run(context) {
    const set = await dataSet(context.dir, context.main);
    const more = moreOf(context);
    const text = await textFile(context.dir, more);
    const file = scratch(context, 'reads.db');
    removeFile(file);
    copyFileSync(set.file, file);
    // Here the server gets no core to itself: it must hold its own beside the import.
    const server = await serveFathom(file, context.dir, { cores: CORES.all });
    const client = new Client(server.port);
    const priority = getPriority();
    try {
      await check(server.port, set.expected);
      hurry(-10);
      // On a core of its own it would be delayed by the import, as no other machine would be.
      pinMyself(CORES.all);
      const addresses = readSample(set);
      const path = () =>
        `/v1/reputation/${addresses[Math.floor(Math.random() * addresses.length)]}`;
      const read = (until: () => boolean) => steady(client, path, { perSecond: PER_SECOND, until });
      await read(after(context.quick ? 1 : 5));
      say('reads without an import');
      const rest = context.quick ? 2 : 15;
      const before = await read(after(rest));
      // The server applies the last batches shortly after the import is over.
      say(`reads during an import of ${count(more.lines)} lines`);
      // Children inherit our priority when we start them.
      hurry(priority);
      const importing = importData(text, `sqlite:${file}`, context.dir);
      hurry(-10);
      const reading = read(endOf(importing.then(() => pause(2000))));
      // Wait for both, even if one fails: an import must not overlap with the next row.
      const [busy] = await Promise.allSettled([reading, importing]);
      const result = await importing;
      if (busy.status === 'rejected') throw busy.reason;
      await checkNews(client, context, more);
      say('reads without an import again');
      const idle = [...before, ...(await read(after(rest)))];
      return [rowOf(idle, busy.value, more, result.seconds)];
    } finally {
      hurry(priority);
      pinMyself();
      client.close();
      await server.stop();
      removeFile(file);
      rmSync(text);
    }
  },
};

/** Further events of the same wallets. */
function moreOf({ main }: Context): Shape {
  return { wallets: main.wallets, lines: main.wallets * 3, series: main.series + 1 };
}

function after(length: number): () => boolean {
  const end = performance.now() + length * 1000;
  return () => performance.now() > end;
}

/** Whether the work is over, successful or not. */
function endOf(work: Promise<unknown>): () => boolean {
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  return () => ended;
}

/** @throws unless the server shows what was imported beside it */
async function checkNews(client: Client, { main }: Context, more: Shape): Promise<void> {
  const before = expect(main).spots;
  for (const [i, { address, activities }] of expect(more).spots.entries()) {
    const body = (await client.ask(`/v1/activity/${address}?limit=1`)).body.toString();
    const total = activities + before[i]!.activities;
    if (JSON.parse(body).total !== total) {
      throw new Error(`2 s after the import ${address} has not ${total} activities: ${body}`);
    }
  }
}

function rowOf(idle: number[], busy: number[], more: Shape, length: number): Row {
  const ratio = percentile(busy, 0.99) / percentile(idle, 0.99);
  const slowest = (percentile(busy, 1) / 1000).toFixed(0);
  return {
    what: 'Random /v1/reputation during an import into the same file, p99',
    fathom: micros(percentile(busy, 0.99)),
    peer: `${micros(percentile(idle, 0.99))} without an import`,
    limit: '≤ 5.00',
    ratio: ratio.toFixed(2),
    target: '',
    met: ratio <= 5,
    note: `${PER_SECOND} requests a second over one connection; ${count(busy.length)} during an import of ${count(more.lines)} lines (${seconds(length)}, and 2 s after it), ${count(idle.length)} before and after. A request that had to wait for the one before is timed from when it was due. Server, import and client aren't pinned to cores, but the import leaves one core to the server; the client runs at a higher priority where permitted. Medians: ${micros(median(busy))} and ${micros(median(idle))}; the slowest answer during the import took ${slowest} ms.`,
  };
}
