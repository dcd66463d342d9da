import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askRaw, openApi, type TestApi } from '../support/api.ts';
import { ETH } from '../support/api-source.ts';
import { missingRedis, type RedisServer, startRedis } from '../support/redis.ts';
import {
  away,
  openImpatientReplica,
  openReplica,
  type TestReplica,
  up,
} from '../support/redis-sharing.ts';

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

  it("applies a key's own limit on every replica", async () => {
    const both = await twoApis(3);
    const headers = both.map((api) => ({ 'X-API-Key': api.keys.create('the-key') }));
    const statuses: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      const at = i % 2 === 0 ? 0 : 1;
      statuses.push((await both[at].get(PATH, { headers: headers[at] ?? {} })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
    expect((await both[0].get(PATH)).headers.get('x-ratelimit-remaining')).toBe('2');
  });

  it('counts invalid keys together, and then ignores even a valid one', async () => {
    const [one, other] = await twoApis(100);
    const wrong = { headers: { 'X-API-Key': 'no key' } };
    const right = { headers: { 'X-API-Key': other.keys.create() } };
    for (const api of [one, other, one, other, one]) {
      expect((await api.get(PATH, wrong)).status).toBe(401);
    }
    const refused = await other.get(PATH, right);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    expect(await refused.json()).toMatchObject({ 'violated-policies': ['wrong-keys'] });
    expect(other.keys.lookups).toBe(0);
    // Requests without a key pass, and all were counted.
    const open = await one.get(PATH);
    expect([open.status, open.headers.get('x-ratelimit-remaining')]).toEqual([200, '93']);
  });

  it('counts a request before reporting a failed key store', async () => {
    const replica = await openReplica(redis);
    const api = await openApi({
      limits: { public: 2, key: 2 },
      counters: replica.windows,
      keys: { findByHash: () => Promise.reject(new Error('the disk is gone')) },
    });
    apis.push(api);
    const key = apis[0]?.keys.create() ?? '';
    const statuses: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      statuses.push((await api.get(PATH, { headers: { 'X-API-Key': key } })).status);
    }
    expect(statuses).toEqual([500, 500, 429]);
  });

  it('counts requests that cannot be parsed on every replica', async () => {
    const [one, other] = await twoApis(3);
    const broken = 'GET /v1/stats/global HTTP/1.1\r\nbad header\r\n\r\n';
    const first = await askRaw(one, broken);
    expect([first.status, first.headers['x-ratelimit-remaining']]).toEqual([400, '2']);
    const second = await askRaw(other, broken);
    expect([second.status, second.headers['x-ratelimit-remaining']]).toEqual([400, '1']);
    expect((await askRaw(one, 'CONNECT /v1/x HTTP/1.1\r\nHost: x\r\n\r\n')).status).toBe(405);
    const limited = await askRaw(other, broken);
    expect([limited.status, limited.headers['x-ratelimit-remaining']]).toEqual([429, '0']);
  });

  it('answers pipelined requests in order', async () => {
    const [one] = await twoApis(3);
    const request = 'GET /v1/stats/global HTTP/1.1\r\nHost: x\r\n';
    const last = `${request}Connection: close\r\n\r\n`;
    const { body, headers } = await askRaw(one, `${request}\r\n`.repeat(4).concat(last));
    const left = [headers['x-ratelimit-remaining']];
    for (const found of body.matchAll(/X-RateLimit-Remaining: (\d+)/gi)) left.push(found[1]);
    expect(left).toEqual(['2', '1', '0', '0', '0']);
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
