import assert from 'node:assert/strict';
import { check } from '../check.ts';
import { Client } from '../client.ts';
import type { Bench } from '../context.ts';
import { type DataSet, dataSet, readSample } from '../datasets.ts';
import { median } from '../latency.ts';
import { type LoadResult, missingWrk } from '../load.ts';
import { moveTo, startPostgres } from '../postgres.ts';
import { CORES, memoryOf } from '../process.ts';
import { missingRedis, startRedisServer } from '../redis.ts';
import { count, megabytes, notMeasured, perSecond, type Row, seconds } from '../report.ts';
import { rounds } from '../rounds.ts';
import { type Running, serveFathom, servePeer } from '../server.ts';

/**
 * Random wallets from Postgres: beside a peer that queries Postgres for each rank, and beside
 * SQLite.
 */

const PEER = new URL('../peers/fastify-postgres.ts', import.meta.url);

export const postgres: Bench = {
  name: 'postgres',
  about: 'random /v1/reputation on Postgres beside counting there, and SQLite',
  async run(context) {
    const what = `Random /v1/reputation over ${count(context.main.wallets)} wallets on Postgres`;
    if (missingWrk !== undefined) return [notMeasured(what, '≥ 2.00', missingWrk)];
    const set = await dataSet(context.dir, context.main);
    const open: { stop(): Promise<void> }[] = [];
    const keep = <T extends { stop(): Promise<void> }>(opened: T): T => {
      open.push(opened);
      return opened;
    };
    try {
      // The peer's Postgres works for it, so it shares the servers' core; ours is idle.
      const cluster = await startPostgres(CORES.all);
      open.push({ stop: () => cluster.remove() });
      const url = await cluster.createDatabase();
      await moveTo(url, set.file, context.dir);
      const servers = new Map<string, Running>();
      const serve = async (env: Record<string, string>) =>
        keep(await serveFathom(set.file, context.dir, { env, seconds: 120 }));
      servers.set('postgres', await serve({ DATABASE_URL: url }));
      servers.set('sqlite', await serve({}));
      if (missingRedis === undefined) {
        const redis = keep(await startRedisServer(context.dir));
        const REDIS_URL = `redis://127.0.0.1:${redis.port}`;
        servers.set('shared', await serve({ DATABASE_URL: url, REDIS_URL }));
      }
      servers.set('peer', keep(await servePeer(PEER, context.dir, { DATABASE_URL: url })));
      await check(servers.get('postgres')!.port, set.expected);
      await compareBodies(
        [...servers.values()].map(({ port }) => port),
        set,
      );
      const started = startRow(context.main.wallets, servers.get('postgres')!);
      return [...rowsOf(what, await rounds(context, set, servers, 5)), started];
    } finally {
      for (const each of open.reverse()) await each.stop();
    }
  },
};

/** A replica's needs, which the README tells operators. */
function startRow(wallets: number, { child, secondsToReady }: Running): Row {
  const { now, peak } = memoryOf(child.pid) ?? { now: 0, peak: 0 };
  return {
    what: `Start with ${count(wallets)} wallets on Postgres`,
    fathom: `${seconds(secondsToReady)}, ${megabytes(now)}, at most ${megabytes(peak)}`,
    ...{ peer: '', limit: '', ratio: '', target: '', met: undefined },
    note: 'time to the first 200 from /readyz, and resident memory after some hundred requests; one start, on one core, with Postgres on both.',
  };
}

/** @throws unless all responses are the same, byte for byte */
async function compareBodies(ports: readonly number[], set: DataSet): Promise<void> {
  const clients = ports.map((port) => new Client(port));
  for (const address of readSample(set).slice(0, 100)) {
    const [first, ...others] = await Promise.all(
      clients.map(async (client) => {
        const { body } = await client.ask(`/v1/reputation/${address}`);
        return body.toString();
      }),
    );
    for (const other of others) assert.equal(other, first);
  }
  for (const client of clients) client.close();
}

function rowsOf(what: string, results: Map<string, LoadResult[]>): Row[] {
  const ours = results.get('postgres')!;
  const speed = (all: readonly LoadResult[]) => median(all.map((each) => each.requestsPerSecond));
  const ratio = (a: readonly LoadResult[], b: readonly LoadResult[]) =>
    median(a.map((own, i) => own.requestsPerSecond / b[i]!.requestsPerSecond));
  const row = (
    name: string,
    a: readonly LoadResult[],
    b: readonly LoadResult[],
    least: number | undefined,
  ): Row => ({
    what: `${what}, ${name}`,
    fathom: perSecond(speed(a)),
    peer: perSecond(speed(b)),
    limit: least === undefined ? '' : `≥ ${least.toFixed(2)}`,
    ratio: ratio(a, b).toFixed(2),
    target: '',
    met: least === undefined ? undefined : ratio(a, b) >= least,
    note: `wrk as above; ${ours.length} alternating rounds. The peer is Fastify with pg: one prepared statement per request over the same tables, which counts higher-ranked wallets by an index; its Postgres may use both cores. Fathom's replica holds ranks in memory and follows the ledger. With Redis, every request is also counted there, all as one client.`,
  });
  const shared = results.get('shared');
  return [
    row('beside counting there', ours, results.get('peer')!, 2),
    row('beside SQLite', ours, results.get('sqlite')!, 0.5),
    ...(shared === undefined
      ? []
      : [row('limits shared by Redis, beside limits of its own', shared, ours, undefined)]),
  ];
}
