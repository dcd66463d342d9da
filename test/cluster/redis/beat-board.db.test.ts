import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { missingRedis, type RedisServer, startRedis } from '../../support/redis.ts';
import { away, openReplica } from '../../support/redis-shared-state.ts';

const KEY = 'fathom:beats';

describe.skipIf(missingRedis !== undefined)(missingRedis ?? 'beats posted in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());
  beforeEach(async () => {
    await redis.command('flushall');
  });

  it('shows others the heartbeats, with the time since the newest', async () => {
    const [a, b] = [(await openReplica(redis)).beats, (await openReplica(redis)).beats];
    expect(await a.post('a', 0, ['b', 'c'])).toBeUndefined();
    await b.post('b', 5_000, []);
    const old = await a.post('a', undefined, ['b', 'c']);
    expect(old).toBeGreaterThanOrEqual(5_000);
    await b.post('c', 1_000, []);
    const newer = (await a.post('a', undefined, ['b', 'c'])) ?? Number.NaN;
    expect(newer).toBeGreaterThanOrEqual(1_000);
    expect(newer).toBeLessThan(old ?? 0);
    await sleep(300);
    expect(await a.post('a', undefined, ['c'])).toBeGreaterThanOrEqual(newer + 290);
  });

  it("ignores one's own and strangers' heartbeats", async () => {
    const { beats } = await openReplica(redis);
    await beats.post('a', 0, []);
    await beats.post('stranger', 0, []);
    expect(await beats.post('a', undefined, ['b'])).toBeUndefined();
  });

  it('drops heartbeats by a clock that was set back, or from long ago', async () => {
    const { beats } = await openReplica(redis);
    await redis.command('zadd', KEY, String(Date.now() + 3_600_000), 'b');
    expect(await beats.post('a', undefined, ['b'])).toBeUndefined();
    await redis.command('zadd', KEY, String(Date.now() - 3_600_000), 'b');
    expect(await beats.post('a', undefined, ['b'])).toBeUndefined();
    expect(await redis.command('exists', KEY)).toBe(0);
    await beats.post('a', 0, []);
    expect(Number(await redis.command('pttl', KEY))).toBeGreaterThan(0);
  });

  it('cannot be queried while Redis is down', async () => {
    const replica = await openReplica(redis);
    await redis.kill();
    await away(replica);
    await expect(replica.beats.post('a', 0, [])).rejects.toThrow(RetryableError);
    await redis.start();
  });
});
