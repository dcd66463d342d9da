import { describe, expect, it, onTestFinished } from 'vitest';
import { RetryableError } from '#base/errors';
import type { SharedBudget } from '#cluster/sharing';
import type { Wallet } from '#wallet/wallet';
import { addressOf } from '../support/import-lines.ts';
import { missingRedis, type RedisServer, startRedis } from '../support/redis.ts';
import { openImpatientReplica, openReplica } from '../support/redis-shared-state.ts';
import {
  fakeUpstream,
  RECORD,
  saying,
  type TestUpstream,
  upstreamAt,
} from '../support/upstream.ts';

const wallet = (n: number): Wallet => ({ chain: 'ethereum', address: addressOf('ethereum', n) });

/** Reads many wallets at once, others each time. @returns how many were answered */
async function ask({ source }: TestUpstream, from: number, count: number): Promise<number> {
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, async (_, i) => source.reading().reputation(wallet(from + i))),
  );
  for (const each of outcomes) {
    if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(RetryableError);
  }
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

async function replicasAt(url: string, redis: RedisServer): Promise<[TestUpstream, TestUpstream]> {
  const replica = async () => {
    const { budget } = await openReplica(redis);
    return upstreamAt(url, { budget, replicas: () => 2 });
  };
  return [await replica(), await replica()];
}

async function redisServer(): Promise<RedisServer> {
  const redis = await startRedis();
  onTestFinished(() => redis.remove());
  return redis;
}

describe.skipIf(missingRedis !== undefined)('two replicas with Redis', () => {
  it('together send no more than the limit, and all of it', async () => {
    const fake = await fakeUpstream(saying(RECORD));
    const [first, second] = await replicasAt(fake.url, await redisServer());
    expect(await ask(first, 0, 70)).toBe(70);
    expect(await ask(second, 100, 20)).toBe(20);
    const answered = await Promise.all([ask(first, 200, 60), ask(second, 300, 60)]);
    expect(fake.asked.length).toBeLessThanOrEqual(100);
    // Each may have reserved a slot that it couldn't use any more.
    expect(fake.asked.length).toBeGreaterThanOrEqual(97);
    expect((answered[0] ?? 0) + (answered[1] ?? 0)).toBe(fake.asked.length - 90);
  });

  it('wait together if one was told to wait', async () => {
    const fake = await fakeUpstream((_, res) =>
      res.writeHead(429, { 'Retry-After': '30' }).end('{}'),
    );
    const [first, second] = await replicasAt(fake.url, await redisServer());
    expect(await ask(first, 0, 1)).toBe(0);
    expect(await ask(second, 100, 5)).toBe(0);
    expect(await ask(first, 200, 5)).toBe(0);
    expect(fake.asked).toHaveLength(1);
  });

  it.each(['kill', 'freeze'] as const)('keep to their shares after a %s of it', async (how) => {
    const redis = await redisServer();
    const fake = await fakeUpstream(saying(RECORD));
    // Patient, until it's supposed to be down.
    const current = { budget: (await openReplica(redis)).budget };
    const { budget: impatient } = await openImpatientReplica(redis);
    const budget: SharedBudget = {
      take: (...call) => current.budget.take(...call),
      block: (...call) => current.budget.block(...call),
    };
    const replica = () => upstreamAt(fake.url, { budget, replicas: () => 2 });
    const [first, second] = [replica(), replica()];
    expect(await ask(first, 0, 30)).toBe(30);
    await redis[how]();
    onTestFinished(() => redis.thaw());
    current.budget = impatient;
    expect(await ask(first, 100, 60)).toBe(20);
    expect(await ask(second, 200, 60)).toBe(50);
    expect(fake.asked).toHaveLength(100);
  });
});

describe('replicas without a shared counter', () => {
  it.each<[number, number]>([
    [1, 100],
    [4, 25],
    [1_000, 1],
  ])('%i: each keeps to its share, %i a minute', async (replicas, share) => {
    const fake = await fakeUpstream(saying(RECORD));
    const upstream = upstreamAt(fake.url, { replicas: () => replicas });
    expect(await ask(upstream, 0, share + 10)).toBe(share);
    upstream.advance(62);
    expect(await ask(upstream, 500, share + 10)).toBe(share);
  });

  it('stay within their shares for a while after it is back', async () => {
    const fake = await fakeUpstream(saying(RECORD));
    const places = { isAway: true };
    const budget: SharedBudget = {
      take: () => (places.isAway ? Promise.reject(new RetryableError('away')) : Promise.resolve(0)),
      block: () => Promise.resolve(),
    };
    const upstream = upstreamAt(fake.url, { budget, replicas: () => 2 });
    expect(await ask(upstream, 0, 30)).toBe(30);
    places.isAway = false;
    expect(await ask(upstream, 100, 60)).toBe(20);
    upstream.advance(62);
    expect(await ask(upstream, 200, 120)).toBe(100);
  });
});
