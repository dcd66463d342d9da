import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApi, type TestApi } from '../../support/api.ts';
import { ETH } from '../../support/api-source.ts';
import { missingRedis, type RedisServer, startRedis } from '../../support/redis.ts';
import {
  away,
  openImpatientReplica,
  openReplica,
  type TestReplica,
  up,
} from '../../support/redis-shared-state.ts';

const PATH = `/v1/reputation/${ETH}`;
const NOW = 1_765_809_000_250;

describe.skipIf(missingRedis !== undefined)(missingRedis ?? 'two replicas with one Redis', () => {
  let redis: RedisServer;
  let apis: TestApi[] = [];
  beforeEach(async () => {
    redis = await startRedis();
    return () => redis.remove();
  });
  afterEach(async () => {
    await Promise.all(apis.map((api) => api.close()));
    apis = [];
  });

  /** An API that counts through the replica. Its clock stands still. */
  async function apiOf({ windows }: TestReplica, limit: number): Promise<TestApi> {
    const limits = { public: limit, key: 2 * limit };
    const api = await openApi({ limits, counters: windows });
    api.time.now = NOW;
    apis.push(api);
    return api;
  }

  async function twoApis(limit: number) {
    const one = await apiOf(await openReplica(redis), limit);
    const other = await apiOf(await openReplica(redis), limit);
    return [one, other] as const;
  }

  it('allows exactly the limit for a client, with the same numbers from both replicas', async () => {
    const both = await twoApis(100);
    const answers = await Promise.all(
      Array.from({ length: 240 }, (_, i) => both[i % 2 === 0 ? 0 : 1].get(PATH)),
    );
    const passed = answers.filter((answer) => answer.status === 200);
    const refused = answers.filter((answer) => answer.status === 429);
    expect([passed.length, refused.length]).toEqual([100, 140]);
    const left = passed.map((answer) => Number(answer.headers.get('x-ratelimit-remaining')));
    expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    for (const answer of answers) {
      const { headers } = answer;
      const remaining = headers.get('x-ratelimit-remaining');
      const wait = /^"public";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '');
      expect(wait?.[1]).toBe(remaining);
      const seconds = Number(wait?.[2]);
      expect(seconds).toBeGreaterThan(30);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(headers.get('ratelimit-policy')).toBe('"public";q=100;w=60');
      expect(headers.get('x-ratelimit-limit')).toBe('100');
      const end = Number(headers.get('x-ratelimit-reset')) - NOW / 1000;
      expect(end).toBeGreaterThan(seconds - 1);
      expect(end).toBeLessThanOrEqual(seconds + 1);
      if (answer.status === 429) {
        expect(remaining).toBe('0');
        expect(headers.get('retry-after')).toBe(String(seconds));
        expect(await answer.json()).toMatchObject({ code: 'rate-limited' });
      }
    }
  });

  it('limits per replica from the last known state without Redis, and together once it is back', async () => {
    const replicas = [await openReplica(redis), await openReplica(redis)] as const;
    const one = await apiOf(replicas[0], 10);
    const other = await apiOf(replicas[1], 10);
    const passing = async (api: TestApi) => {
      const statuses: number[] = [];
      for (let i = 0; i < 12; i += 1) statuses.push((await api.get(PATH)).status);
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      return statuses.filter((status) => status === 200).length;
    };
    for (const api of [one, one, other, other]) expect((await api.get(PATH)).status).toBe(200);
    await redis.kill();
    await Promise.all(replicas.map(away));
    expect(await passing(one)).toBe(8);
    expect(await passing(other)).toBe(6);
    await redis.start();
    await Promise.all(replicas.map(up));
    for (const api of [one, other]) expect((await api.get(PATH)).status).toBe(429);
    expect([one, other].flatMap((api) => api.log.lines)).toEqual([]);
  });

  it('answers requests while Redis hangs', async () => {
    const replica = await openImpatientReplica(redis);
    const api = await apiOf(replica, 1_000);
    redis.freeze();
    try {
      const answers = await Promise.all(Array.from({ length: 50 }, () => api.get(PATH)));
      expect(answers.every((answer) => answer.status === 200)).toBe(true);
      const left = answers.map((answer) => Number(answer.headers.get('x-ratelimit-remaining')));
      expect(Math.min(...left)).toBe(950);
    } finally {
      redis.thaw();
    }
  });
});
