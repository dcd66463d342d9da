import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import type { SharedBudget } from '#cluster/sharing';
import { missingRedis, type RedisServer, startRedis } from '../../support/redis.ts';
import { away, openReplica } from '../../support/redis-shared-state.ts';

const HOUR = 3_600_000;

describe.skipIf(missingRedis !== undefined)(missingRedis ?? 'a budget that replicas share', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());
  beforeEach(async () => {
    await redis.command('flushall');
  });

  async function twoReplicas(): Promise<readonly [SharedBudget, SharedBudget]> {
    return [(await openReplica(redis)).budget, (await openReplica(redis)).budget];
  }

  /** A key's state: when it was last used, until when it's blocked, and its slots. */
  async function stateOf(key: string): Promise<number[]> {
    const text = String(await redis.command('get', `fathom:budget:${key}`));
    return text.split(' ').map(Number);
  }

  it('exceeds the limit in no period, however two replicas ask', async () => {
    const replicas = await twoReplicas();
    let run = 0;
    const asks = fc.array(fc.constantFrom(0 as const, 1 as const), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), asks, async (most, order) => {
        run += 1;
        const key = `run-${run}`;
        const waits = await Promise.all(
          order.map((replica) => replicas[replica].take(key, most, HOUR)),
        );
        const [, , ...places] = await stateOf(key);
        expect(places).toHaveLength(order.length);
        for (const [i, place] of places.entries()) {
          const before = places[i - most];
          if (before !== undefined) expect(place - before).toBeGreaterThanOrEqual(HOUR);
        }
        const runSteps = waits.filter((wait) => wait === 0).length;
        expect(runSteps).toBe(Math.min(most, order.length));
      }),
      { numRuns: 60 },
    );
  });

  it('makes nobody wait longer than the limit requires', async () => {
    const replicas = await twoReplicas();
    const began = performance.now();
    await Promise.all(
      replicas.map(async (budget) => {
        for (let i = 0; i < 8; i += 1) await sleep(await budget.take('short', 3, 100));
      }),
    );
    // 16 slots, 3 per 100 ms: the last one is in the sixth window. Timers may be 1 ms early.
    expect(performance.now() - began).toBeGreaterThanOrEqual(495);
  });

  it('drops expired slots, and the key expires by itself', async () => {
    const [budget] = await twoReplicas();
    expect(await budget.take('a', 1, 200)).toBe(0);
    // At the next slot, or at once if the machine took that long.
    expect(await budget.take('a', 1, 200)).toBeLessThanOrEqual(200);
    expect(await budget.take('long', 1, 20_000)).toBe(0);
    expect(await budget.take('long', 1, 20_000)).toBeGreaterThan(0);
    await redis.command('del', 'fathom:budget:long');
    await sleep(450);
    expect(await redis.command('keys', '*budget*')).toEqual([]);
    expect(await budget.take('a', 1, 200)).toBe(0);
  });

  it('grants no slots while blocked; a shorter block does not end a longer one', async () => {
    const [one, other] = await twoReplicas();
    expect(await one.take('a', 5, 1_000)).toBe(0);
    await one.block('a', 60_000);
    await other.block('a', 10);
    await other.block('a', 0);
    const wait = await other.take('a', 5, 1_000);
    expect(wait).toBeLessThanOrEqual(60_000);
    expect(wait).toBeGreaterThan(40_000);
    const waits: number[] = [];
    for (let i = 0; i < 5; i += 1) waits.push(await one.take('a', 5, 1_000));
    // The five slots after the block, then the next window.
    const [, blocked = 0, ...places] = await stateOf('a');
    expect(places.slice(-6).map((place) => place - blocked)).toEqual([0, 0, 0, 0, 0, 1_000]);
    expect(Number(await redis.command('pttl', 'fathom:budget:a'))).toBeGreaterThan(40_000);
    expect(await one.take('b', 5, 1_000)).toBe(0);
  });

  it('can be blocked without slots, for at most a day', async () => {
    const [one, other] = await twoReplicas();
    await one.block('a', Number.MAX_SAFE_INTEGER);
    const wait = await other.take('a', 5, 1_000);
    expect(wait).toBeLessThanOrEqual(86_400_000);
    expect(wait).toBeGreaterThan(86_300_000);
  });

  it('counts earlier slots when the limit is lowered', async () => {
    const [budget] = await twoReplicas();
    for (let i = 0; i < 10; i += 1) expect(await budget.take('a', 10, HOUR)).toBe(0);
    expect(await budget.take('a', 2, HOUR)).toBeGreaterThan(HOUR / 2);
  });

  it('sends no request without a limit; a huge limit counts as 1000; memory is bounded', async () => {
    const [budget] = await twoReplicas();
    expect(await budget.take('free', Number.POSITIVE_INFINITY, 1_000)).toBe(0);
    expect(await redis.command('exists', 'fathom:budget:free')).toBe(0);
    const waits = await Promise.all(
      Array.from({ length: 1_200 }, () => budget.take('huge', 5_000, HOUR)),
    );
    expect(waits.filter((wait) => wait === 0)).toHaveLength(1_000);
    expect((await stateOf('huge')).length).toBeLessThanOrEqual(1_003);
  });

  it('makes nobody wait because a clock was set back', async () => {
    const [budget] = await twoReplicas();
    const later = Date.now() + 10 * HOUR;
    const state = [later, later + 500, later - 100, later, later + 2_000].join(' ');
    await redis.command('set', 'fathom:budget:a', state, 'px', String(20 * HOUR));
    const wait = await budget.take('a', 3, 5_000);
    // As if no time had passed: the oldest of the three was 100 ms ago.
    expect(wait).toBe(4_900);
  });

  it('ignores anything else under its key', async () => {
    const [budget] = await twoReplicas();
    await redis.command('rpush', 'fathom:budget:a', '1');
    expect(await budget.take('a', 3, 5_000)).toBe(0);
  });

  it('reports that Redis is down, and how soon to ask again', async () => {
    const own = await startRedis();
    const replica = await openReplica(own);
    await own.remove();
    await away(replica);
    const { budget } = replica;
    await expect(budget.take('a', 3, 5_000)).rejects.toThrow(RetryableError);
    await expect(budget.block('a', 5_000)).rejects.toThrow(RetryableError);
    expect(await budget.take('a', Number.POSITIVE_INFINITY, 5_000)).toBe(0);
  });
});

describe.skipIf(missingRedis !== undefined)(missingRedis ?? 'answers that replicas share', () => {
  it('shares what one replica has stored, for as long as allowed', async () => {
    const redis = await startRedis();
    const one = await openReplica(redis);
    const other = await openReplica(redis);
    const text = JSON.stringify({ name: 'ä🐋\0"', empty: '' });
    const key = `https://rep.example/v1/reputation/${'x'.repeat(5_000)}`;
    expect(await other.answers.get(key)).toBeUndefined();
    await one.answers.set(key, text, 60_000);
    await one.answers.set('empty', '', 60_000);
    await one.answers.set('short', 'x', 50);
    await one.answers.set('full', 'x'.repeat(512 * 1024), 60_000);
    await one.answers.set('large', 'x'.repeat(512 * 1024 + 1), 60_000);
    expect(await other.answers.get(key)).toBe(text);
    expect(await other.answers.get('empty')).toBe('');
    expect(await other.answers.get('full')).toHaveLength(512 * 1024);
    expect(await other.answers.get('large')).toBeUndefined();
    await sleep(80);
    expect(await other.answers.get('short')).toBeUndefined();
    const keys = (await redis.command('keys', 'fathom:answer:*')) as string[];
    for (const each of keys) expect(each.length).toBeLessThan(100);

    await redis.remove();
    await away(one);
    expect(await one.answers.get(key)).toBeUndefined();
    await expect(one.answers.set(key, text, 60_000)).resolves.toBeUndefined();
  });
});
