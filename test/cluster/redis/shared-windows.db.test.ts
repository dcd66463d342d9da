import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RateCounter, RateWindow } from '#base/rate-window';
import { openRedisState } from '#cluster/redis';
import { WindowMirror } from '#cluster/redis/rate-windows';
import { TestLog } from '../../support/api.ts';
import { patienceMs } from '../../support/patience.ts';
import { missingRedis, type RedisServer, startRedis } from '../../support/redis.ts';
import { away, openImpatientReplica, openReplica, up } from '../../support/redis-shared-state.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

const MINUTE = { length: 60_000, maxClients: 1_000 };
const NOW = 1_765_809_000_000;

/**
 * Does something within a window; repeats it for another client if the machine took longer.
 * @param length of the window, in milliseconds
 */
async function inTime<T>(
  length: number,
  work: (client: string) => Promise<T>,
  clients = ['in', 'time', 'at', 'last', 'now'],
): Promise<T> {
  for (const client of clients) {
    const began = performance.now();
    const result = await work(client);
    if (performance.now() - began < length / 2) return result;
  }
  throw new Error('the machine is too slow for a window that is so short');
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const inOrder = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
const countsOf = (windows: readonly RateWindow[]) => windows.map((window) => window.count);

describe.skipIf(missingRedis !== undefined)(missingRedis ?? 'windows that replicas share', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());
  beforeEach(async () => {
    await redis.command('flushall');
  });

  async function twoReplicas(options = MINUTE) {
    const one = await openReplica(redis);
    const other = await openReplica(redis);
    return [one.windows('test', options), other.windows('test', options)] as const;
  }

  it('ends a window no later than its length, whatever fractions the clock has', async () => {
    const [one] = await twoReplicas();
    const now = 224_290.139_557_639_1;
    expect((await one.count('a', now)).endsAt).toBeLessThanOrEqual(Math.floor(now) + MINUTE.length);
    expect((await one.count('a', now)).count).toBe(2);
  });

  it('counts slow replies afterwards, and delays only the requests that waited for them', async () => {
    const proxy = await startTcpProxy(Number(new URL(redis.url).port));
    onTestFinished(() => proxy.close());
    const log = new TestLog();
    // Less than the silence after which a connection is given up.
    const slow = await openRedisState(`redis://127.0.0.1:${proxy.port}`, log, 1_500);
    onTestFinished(() => slow.close());
    await up(slow);
    const one = slow.windows('test', MINUTE);
    const other = (await openReplica(redis)).windows('test', MINUTE);
    const counts = async (on: RateCounter, requests: number) =>
      countsOf(await Promise.all(range(1, requests).map(() => on.count('a', NOW))));
    expect(await counts(one, 3)).toEqual([1, 2, 3]);

    proxy.holdAnswers();
    // The ten are counted locally, from the last known count, and by Redis, whose response is lost.
    expect(await counts(one, 10)).toEqual(range(4, 13));
    proxy.letAnswersGo();
    expect(await counts(other, 5)).toEqual(range(14, 18));
    // On a busy machine what was held takes a while, and until then the count is local.
    await vi.waitFor(async () => expect((await one.peek('a', NOW))?.count).toBe(18), {
      timeout: patienceMs(),
    });
    expect(await counts(one, 4)).toEqual(range(19, 22));
    expect(await counts(other, 1)).toEqual([23]);
    expect(log.lines).toEqual([]);
  });

  it('gives every request a unique number, however they arrive', async () => {
    const replicas = await twoReplicas();
    let run = 0;
    const bursts = fc.array(
      fc.record({
        replica: fc.constantFrom(0 as const, 1 as const),
        client: fc.constantFrom('a', 'b'),
        requests: fc.integer({ min: 1, max: 30 }),
        pause: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(bursts, async (steps) => {
        run += 1;
        const asked: { client: string; window: Promise<RateWindow> }[] = [];
        for (const { replica, client, requests, pause } of steps) {
          for (let i = 0; i < requests; i += 1) {
            const counted = replicas[replica].count(`${client}${run}`, NOW);
            asked.push({ client, window: Promise.resolve(counted) });
          }
          if (pause) await asked.at(-1)?.window;
        }
        for (const client of ['a', 'b']) {
          const mine = asked.filter((each) => each.client === client);
          const numbers = countsOf(await Promise.all(mine.map((each) => each.window)));
          expect(inOrder(numbers)).toEqual(range(1, mine.length));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('numbers the requests of one replica in order of arrival', async () => {
    const [one] = await twoReplicas();
    const numbers = await Promise.all(range(1, 200).map(() => one.count('a', NOW)));
    expect(countsOf(numbers)).toEqual(range(1, 200));
  });

  it('counts a bulk as a whole or not at all, whichever replica is asked', async () => {
    const both = await twoReplicas();
    const bulk = { requests: 10, limit: 100 };
    const asked = range(1, 30).map((i) => both[i % 2 === 0 ? 0 : 1].count('a', NOW, bulk));
    const single = both[0].count('a', NOW);
    const windows = await Promise.all(asked);
    const taken = windows.filter((window) => window.isRefused !== true);
    expect(new Set(countsOf(taken)).size).toBe(taken.length);
    // The single request comes before or after any of them.
    const alone = (await single).count;
    expect(inOrder([...countsOf(taken), alone]).at(-1)).toBe(10 * taken.length + 1);
    expect([9, 10]).toContain(taken.length);
    // Rejected requests consumed nothing.
    const all = 10 * taken.length + 1;
    expect(await both[1].count('a', NOW, bulk)).toMatchObject({ count: all, isRefused: true });
    const rest = { requests: 100 - all, limit: 100 };
    if (rest.requests > 0) expect((await both[0].count('a', NOW, rest)).count).toBe(100);
    const never = await both[0].count('b', NOW, { requests: 3, limit: 2 });
    expect(never).toEqual({ count: 0, endsAt: NOW + 60_000, isRefused: true });
    expect(await redis.command('exists', 'fathom:window:test:b')).toBe(0);
  });

  it('counts bulks alone while Redis is away', () => {
    const mirror = new WindowMirror(MINUTE);
    const bulk = { requests: 6, limit: 10 };
    expect(mirror.count('a', NOW, bulk).count).toBe(6);
    expect(mirror.count('a', NOW, bulk)).toMatchObject({ count: 6, isRefused: true });
    expect(mirror.count('a', NOW).count).toBe(7);
  });

  it('needs few queries for thousands of requests', async () => {
    const [one] = await twoReplicas();
    await redis.command('config', 'resetstat');
    const numbers = await Promise.all(range(1, 5_000).map(() => one.count('a', NOW)));
    expect(countsOf(numbers).at(-1)).toBe(5_000);
    const calls = /cmdstat_get:calls=(\d+)/.exec(
      String(await redis.command('info', 'commandstats')),
    );
    expect(Number(calls?.[1])).toBeLessThan(10);
  });

  it('handles more clients than fit in one query, and more requests than may wait', async () => {
    const [one] = await twoReplicas();
    const clients = range(1, 1_700).map((i) => `client-${i}`);
    const first = await Promise.all(clients.map((client) => one.count(client, NOW)));
    expect(new Set(countsOf(first))).toEqual(new Set([1]));
    const many = await Promise.all(range(1, 15_000).map(() => one.count('a', NOW)));
    // Those beyond the limit are counted one by one, and the others continue from there.
    expect(inOrder(countsOf(many))).toEqual(range(1, 15_000));
    expect((await one.count('a', NOW)).count).toBe(15_001);
  });

  it('ends a window everywhere at the same time, and its key expires with it', async () => {
    const [one, other] = await twoReplicas({ length: 1_000, maxClients: 10 });
    const { first, second, passed } = await inTime(1_000, async (client) => {
      const began = performance.now();
      const first = await one.count(client, NOW);
      const second = await other.count(client, NOW);
      return { first, second, passed: performance.now() - began };
    });
    expect([first.count, second.count]).toEqual([1, 2]);
    expect(first.endsAt - NOW).toBe(1_000);
    expect(second.endsAt - NOW).toBeLessThanOrEqual(1_000);
    expect(second.endsAt - NOW).toBeGreaterThanOrEqual(Math.floor(1_000 - passed) - 1);
    await new Promise((resolve) => setTimeout(resolve, 1_020));
    expect(await redis.command('keys', 'fathom:window:*')).toEqual([]);
    const counts = await inTime(1_000, async (client) => [
      (await other.count(client, NOW + 1_020)).count,
      (await one.count(client, NOW + 1_020)).count,
    ]);
    expect(counts).toEqual([1, 2]);
  });

  it("does not revive an expired window from a replica's cache", async () => {
    const [one, other] = await twoReplicas({ length: 800, maxClients: 10 });
    const clients = ['a', 'b', 'c', 'd', 'e'];
    for (const client of clients) for (let i = 0; i < 5; i += 1) await one.count(client, NOW);
    await new Promise((resolve) => setTimeout(resolve, 820));
    const counts = await inTime(
      800,
      async (client) => [
        (await other.count(client, NOW)).count,
        // By its own clock, which stands still, the old window is still running.
        (await one.count(client, NOW)).count,
      ],
      clients,
    );
    expect(counts).toEqual([1, 2]);
  });

  it('counts nothing when it only looks', async () => {
    const [one, other] = await twoReplicas();
    expect(await one.peek('a', NOW)).toBeUndefined();
    await one.count('a', NOW);
    await one.count('a', NOW);
    expect((await other.peek('a', NOW))?.count).toBe(2);
    const looks = await Promise.all([
      one.peek('a', NOW),
      one.count('a', NOW),
      one.peek('a', NOW),
      other.peek('b', NOW),
    ]);
    expect(looks.map((window) => window?.count)).toEqual([2, 3, 3, undefined]);
    expect(await redis.command('keys', 'fathom:window:test:b')).toEqual([]);
  });

  it('keeps counters with other names separate', async () => {
    const { windows } = await openReplica(redis);
    const names = ['one', 'other', 'one:a'].map((name) => windows(name, MINUTE));
    const counted = await Promise.all(names.map((counter) => counter.count('a', NOW)));
    expect(countsOf(counted)).toEqual([1, 1, 1]);
  });

  it('treats hostile texts like other clients, in short keys', async () => {
    const [one, other] = await twoReplicas();
    const texts = [
      '',
      ' ',
      '*',
      '{a}',
      'a\r\nFLUSHALL\r\n',
      '\0',
      '\ud800',
      '\ud801',
      '\ufffd',
      '__proto__',
      'ä',
      'a\u0308',
      'x'.repeat(64),
      'x'.repeat(65),
      'x'.repeat(1_000_000),
      `${'x'.repeat(1_000_000)}y`,
    ];
    for (const text of texts) expect((await one.count(text, NOW)).count).toBe(1);
    for (const text of texts) expect((await other.count(text, NOW)).count).toBe(2);
    const keys = (await redis.command('keys', 'fathom:window:*')) as string[];
    expect(keys).toHaveLength(texts.length);
    for (const key of keys) expect(key.length).toBeLessThan(100);
  });

  it.each([
    ['a list', ['rpush', 'fathom:window:test:a', '1']],
    ['words', ['set', 'fathom:window:test:a', 'nothing of ours']],
    ['a time too far ahead', ['set', 'fathom:window:test:a', '90 99999999999999']],
    ['a time that is over', ['set', 'fathom:window:test:a', '90 1']],
  ])('ignores %s under its key', async (_name, [command = '', ...args]) => {
    const [one] = await twoReplicas();
    await redis.command(command, ...args);
    expect(await one.peek('a', NOW)).toBeUndefined();
    expect((await one.count('a', NOW)).count).toBe(1);
    expect(Number(await redis.command('pttl', 'fathom:window:test:a'))).toBeGreaterThan(0);
  });

  it('allows nobody twice the limit if Redis is flushed', async () => {
    const [one, other] = await twoReplicas();
    for (let i = 0; i < 7; i += 1) await one.count('a', NOW);
    const before = await other.count('a', NOW);
    await redis.command('flushall');
    // A replica that never saw the client starts over, until another one tells it.
    const { windows } = await openReplica(redis);
    expect((await windows('test', MINUTE).count('a', NOW)).count).toBe(1);
    const after = await other.count('a', NOW);
    expect(after.count).toBe(9);
    expect(after.endsAt).toBeLessThanOrEqual(before.endsAt);
    expect((await one.count('a', NOW)).count).toBe(10);
    const ttl = Number(await redis.command('pttl', 'fathom:window:test:a'));
    expect(ttl).toBeLessThanOrEqual(before.endsAt - NOW);
  });
});

describe.skipIf(missingRedis !== undefined)(missingRedis ?? 'without Redis', () => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await startRedis();
    return () => redis.remove();
  });

  it('counts at once from the last known state, and continues from there in an empty Redis', async () => {
    const one = await openReplica(redis);
    const other = await openReplica(redis);
    const [here, there] = [one.windows('test', MINUTE), other.windows('test', MINUTE)];
    for (let i = 0; i < 3; i += 1) await here.count('a', NOW);
    expect((await there.count('a', NOW)).count).toBe(4);
    await redis.kill();
    await away(one);
    await away(other);
    const windows = range(1, 6).map(() => here.count('a', NOW + 1_000));
    expect(windows.map((window) => ('count' in window ? window.count : 'later'))).toEqual(
      range(4, 9),
    );
    expect(there.count('a', NOW)).toMatchObject({ count: 5 });
    expect(here.peek('a', NOW)).toMatchObject({ count: 9 });
    expect(here.peek('b', NOW)).toBeUndefined();
    // A window that starts here is as long as any.
    expect(here.count('b', NOW)).toEqual({ count: 1, endsAt: NOW + 60_000, serverEnd: 0 });
    await redis.start();
    await up(one);
    await up(other);
    expect((await there.count('a', NOW)).count).toBe(6);
    expect((await here.count('a', NOW + 2_000)).count).toBe(10);
    expect((await there.count('a', NOW)).count).toBe(11);
    expect((await here.count('b', NOW)).count).toBe(2);
  });

  it('waits three times for a Redis that hangs, and does not count its late replies twice', async () => {
    const replica = await openImpatientReplica(redis);
    const counter = replica.windows('test', MINUTE);
    const before = await counter.count('a', NOW);
    redis.freeze();
    try {
      const waited = counter.count('a', NOW);
      const along = counter.count('a', NOW);
      expect(countsOf(await Promise.all([waited, along]))).toEqual([
        before.count + 1,
        before.count + 2,
      ]);
      for (const n of [3, 4]) expect((await counter.count('a', NOW)).count).toBe(before.count + n);
      const later = range(1, 50).map(() => counter.count('a', NOW));
      expect(later.some((window) => window instanceof Promise)).toBe(false);
      expect((await later.at(-1))?.count).toBe(before.count + 54);
    } finally {
      redis.thaw();
    }
    await up(replica);
    expect((await counter.count('a', NOW)).count).toBe(before.count + 55);
  });

  it('counts each of many waiting requests once when Redis goes down', async () => {
    const replica = await openReplica(redis);
    const counter = replica.windows('test', MINUTE);
    await counter.count('a', NOW);
    redis.freeze();
    const first = [...range(1, 20).map(() => counter.count('a', NOW)), counter.peek('a', NOW)];
    await new Promise((resolve) => setTimeout(resolve, 50));
    const more = [...range(1, 20).map(() => counter.count('a', NOW)), counter.peek('z', NOW)];
    await redis.kill();
    const told = await Promise.all([...first, ...more]);
    const numbers = told.map((window) => window?.count);
    expect(numbers).toEqual([...range(2, 21), 21, ...range(22, 41), undefined]);
  });
});

describe('the local cache of windows', () => {
  it('is bounded: expired windows are dropped first, then the oldest', () => {
    const mirror = new WindowMirror({ length: 60, maxClients: 3 });
    for (const [i, client] of ['a', 'b', 'c'].entries()) mirror.count(client, i);
    mirror.note('d', { count: 7, endsAt: 50, serverEnd: 5 }, 10);
    expect(mirror.size).toBe(3);
    expect(mirror.get('a', 10)).toBeUndefined();
    expect(mirror.get('d', 10)?.count).toBe(7);
    for (let i = 0; i < 1_000; i += 1) mirror.count(`client ${i}`, 200);
    expect(mirror.size).toBe(3);
  });

  it('does not extend a window if the clock is set back', () => {
    const mirror = new WindowMirror({ length: 60, maxClients: 3 });
    mirror.count('a', 1_000);
    expect(mirror.count('a', 500).count).toBe(1);
    expect(mirror.count('a', 559).count).toBe(2);
    expect(mirror.count('a', 560).count).toBe(1);
  });

  it('keeps the higher count of one window, and drops it with the next', () => {
    const mirror = new WindowMirror({ length: 60, maxClients: 3 });
    mirror.note('a', { count: 5, endsAt: 60, serverEnd: 1_060 }, 0);
    mirror.count('a', 1);
    mirror.note('a', { count: 4, endsAt: 60, serverEnd: 1_060 }, 2);
    expect(mirror.get('a', 3)?.count).toBe(6);
    mirror.note('a', { count: 1, endsAt: 64, serverEnd: 1_070 }, 4);
    expect(mirror.get('a', 5)?.count).toBe(1);
  });
});
