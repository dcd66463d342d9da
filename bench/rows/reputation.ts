import assert from 'node:assert/strict';
import { check } from '../check.ts';
import { Client } from '../client.ts';
import type { Bench } from '../context.ts';
import { type DataSet, dataSet, readSample } from '../datasets.ts';
import { median } from '../latency.ts';
import { type LoadResult, missingWrk } from '../load.ts';
import { memoryOf } from '../process.ts';
import { missingRedis, startRedis } from '../redis.ts';
import { count, megabytes, micros, notMeasured, perSecond, type Row } from '../report.ts';
import { rounds } from '../rounds.ts';
import { type Running, serveFathom, servePeer } from '../server.ts';

/** Row 1: random wallets, as fast as one core answers. */

const PLAIN = new URL('../peers/plain-http.ts', import.meta.url);
const FASTIFY = new URL('../peers/fastify-redis.ts', import.meta.url);

type Side = 'fathom' | 'plain' | 'redis';

export const reputation: Bench = {
  name: 'reputation',
  about: 'random /v1/reputation beside node:http and Fastify with Redis',
  async run(context) {
    const what = `Random /v1/reputation over ${count(context.main.wallets)} wallets`;
    if (missingWrk !== undefined) {
      return [notMeasured(what, '≥ 0.75', missingWrk), notMeasured(what, '≥ 2.50', missingWrk)];
    }
    const set = await dataSet(context.dir, context.main);
    const open: { stop(): Promise<void> }[] = [];
    try {
      const servers = new Map<Side, Running>();
      const keep = <T extends { stop(): Promise<void> }>(opened: T): T => {
        open.push(opened);
        return opened;
      };
      const fathom = keep(await serveFathom(set.file, context.dir));
      servers.set('fathom', fathom);
      await check(fathom.port, set.expected);
      const body = await typicalBody(fathom.port, set);
      servers.set('plain', keep(await servePeer(PLAIN, context.dir, { BODY: body })));
      if (missingRedis === undefined) {
        const { port } = keep(await startRedis(context.main, context.dir));
        const env = { REDIS_PORT: String(port) };
        const peer = keep(await servePeer(FASTIFY, context.dir, env));
        await compareBodies(fathom.port, peer.port, set);
        servers.set('redis', peer);
      }
      const results = await rounds(context, set, servers, 7);
      await check(fathom.port, set.expected);
      return rowsOf(what, results, memoryOf(fathom.child.pid)?.peak ?? 0, Buffer.byteLength(body));
    } finally {
      for (const each of open.reverse()) await each.stop();
    }
  },
};

/** The body of median length among the responses for a few hundred random wallets. */
async function typicalBody(port: number, set: DataSet): Promise<string> {
  const client = new Client(port);
  const bodies: string[] = [];
  for (const address of readSample(set).slice(0, 301)) {
    bodies.push((await client.ask(`/v1/reputation/${address}`)).body.toString());
  }
  client.close();
  return bodies.sort((a, b) => Buffer.byteLength(a) - Buffer.byteLength(b))[150]!;
}

/**
 * @throws unless both respond alike, except for the rank of equal scores and the time of the import
 */
async function compareBodies(ours: number, theirs: number, set: DataSet): Promise<void> {
  const clients = [new Client(ours), new Client(theirs)];
  for (const address of readSample(set).slice(0, 100)) {
    const path = `/v1/reputation/${address}`;
    const [a, b] = await Promise.all(clients.map((client) => client.ask(path)));
    const strip = (text: string) => ({ ...JSON.parse(text), rank: 0, lastUpdated: '' });
    assert.deepEqual(strip(b!.body.toString()), strip(a!.body.toString()));
  }
  for (const client of clients) client.close();
}

function rowsOf(what: string, results: Map<Side, LoadResult[]>, peak: number, size: number): Row[] {
  const ours = results.get('fathom')!;
  const speed = (side: Side) => median(results.get(side)!.map((each) => each.requestsPerSecond));
  const ratio = (side: Side) => {
    const theirs = results.get(side)!;
    return median(ours.map((own, i) => own.requestsPerSecond / theirs[i]!.requestsPerSecond));
  };
  const rates = results.get('plain')!.map((each) => each.requestsPerSecond);
  const spread = `${perSecond(Math.min(...rates))} to ${perSecond(Math.max(...rates))}`;
  const compare = (side: Side, name: string, least: number, target: string): Row => ({
    what: `${what}, beside ${name}`,
    fathom: perSecond(speed('fathom')),
    peer: perSecond(speed(side)),
    limit: `≥ ${least.toFixed(2)}`,
    ratio: ratio(side).toFixed(2),
    target,
    met: ratio(side) >= least,
    note: `wrk with one thread and 32 keep-alive connections. Half of the Ethereum addresses are in lower case, half have their checksum. ${ours.length} alternating rounds, with one server under load at a time; figures are medians, and the ratio is the median of the rounds' ratios. Each side has one core for all of its processes (Redis shares Fastify's). The plain server answers with ${size} fixed bytes and two headers; Fathom's answers have all the headers its contract requires. The plain server's rounds ranged from ${spread}, which shows how steady the machine was. Latency at that load, median and p99: ${[...results].map(([each, all]) => `${each} ${micros(median(all.map((r) => r.median)))} and ${micros(median(all.map((r) => r.p99)))}`).join('; ')}.`,
  });
  const redis = 'Fastify with Redis';
  return [
    compare('plain', 'node:http', 0.75, '≥ 0.85'),
    results.has('redis')
      ? compare('redis', redis, 2.5, '')
      : notMeasured(`${what}, beside ${redis}`, '≥ 2.50', missingRedis ?? 'it did not run'),
    {
      what: `${what}, most memory held`,
      fathom: megabytes(peak),
      ...{ peer: '', limit: '', ratio: '', target: '', met: undefined },
      note: "the server's peak resident memory after all that load.",
    },
  ];
}
