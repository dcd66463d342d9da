import type { Bench, Context } from '../context.ts';
import { type DataSet, dataSet } from '../datasets.ts';
import { median } from '../latency.ts';
import { load, missingWrk } from '../load.ts';
import { moveTo, startPostgres } from '../postgres.ts';
import { pinned } from '../process.ts';
import { say, tell } from '../progress.ts';
import { missingRedis, startRedisServer } from '../redis.ts';
import { count, notMeasured, perSecond, type Row } from '../report.ts';
import { type Running, serveFathom } from '../server.ts';

/** What a second replica adds: each has a core, shared with its own load. */

export const replicas: Bench = {
  name: 'replicas',
  about: 'two replicas on two cores beside one',
  async run(context) {
    const what = `Random /v1/reputation over ${count(context.main.wallets)} wallets, two replicas`;
    const cannot = missingWrk ?? (pinned ? undefined : 'it takes two cores and taskset');
    if (cannot !== undefined) return [notMeasured(what, '≥ 1.70', cannot)];
    const set = await dataSet(context.dir, context.main);
    const open: { stop(): Promise<void> }[] = [];
    try {
      const cluster = await startPostgres();
      open.push({ stop: () => cluster.remove() });
      const url = await cluster.createDatabase();
      await moveTo(url, set.file, context.dir);
      const rows = [await measure(context, set, what, { DATABASE_URL: url }, 1.7)];
      if (missingRedis === undefined) {
        const redis = await startRedisServer(context.dir);
        open.push(redis);
        const env = { DATABASE_URL: url, REDIS_URL: `redis://127.0.0.1:${redis.port}` };
        rows.push(await measure(context, set, `${what}, limits shared by Redis`, env, undefined));
      }
      return rows;
    } finally {
      for (const each of open.reverse()) await each.stop();
    }
  },
};

async function measure(
  { dir, quick }: Context,
  set: DataSet,
  what: string,
  env: Record<string, string>,
  least: number | undefined,
): Promise<Row> {
  const cores = ['0', '1'] as const;
  const servers: Running[] = [];
  try {
    for (const core of cores) {
      servers.push(await serveFathom(set.file, dir, { env, cores: core, seconds: 120 }));
    }
    const [number, length] = quick ? [2, 1] : [7, 5];
    const on = async (core: 0 | 1): Promise<number> =>
      (await load(servers[core]!.port, set.sample, length, dir, cores[core])).requestsPerSecond;
    const both = async () => {
      const [first, second] = await Promise.all([on(0), on(1)]);
      return first + second;
    };
    await both();
    const one: number[] = [];
    const two: number[] = [];
    say(`${number} rounds of ${length} s: the one, both, the other`);
    for (let round = 0; round < number; round += 1) {
      const first = await on(0);
      two.push(await both());
      // Cores of a shared machine differ: the single one is the mean of either alone.
      one.push((first + (await on(1))) / 2);
      tell('load', round, number);
    }
    const ratio = median(two.map((sum, i) => sum / one[i]!));
    return {
      what,
      fathom: perSecond(median(two)),
      peer: `${perSecond(median(one))} one replica`,
      limit: least === undefined ? '' : `≥ ${least.toFixed(2)}`,
      ratio: ratio.toFixed(2),
      target: '',
      met: least === undefined ? undefined : ratio >= least,
      note: `each replica shares one core with the wrk that asks it, so the two cases differ only in their number; ${number} rounds, medians. Postgres and Redis may use either core.`,
    };
  } finally {
    for (const server of servers) await server.stop();
  }
}
