import { afterEach, expect, it } from 'vitest';
import { countLocally, type RateCounterMaker } from '#base/rate-window';
import { askRaw, openApi, type TestApi } from '../../support/api.ts';
import { ETH } from '../../support/api-source.ts';

/*
 * Limits of replicas that count together. Here their counter is in memory and answers later, as one elsewhere
 * does; that Redis counts right, and what happens without it, is in test/redis and in shared-limits.nightly.test.ts.
 */

const PATH = `/v1/reputation/${ETH}`;
const NOW = 1_765_809_000_250;

let apis: TestApi[] = [];
afterEach(async () => {
  await Promise.all(apis.map((api) => api.close()));
  apis = [];
});

/** One counter of each name for all who ask. */
function sharedCounters(): RateCounterMaker {
  const made = new Map<string, ReturnType<RateCounterMaker>>();
  return (name, options) => {
    const here = made.get(name) ?? countLocally(name, options);
    made.set(name, here);
    return {
      count: async (...asked) => here.count(...asked),
      peek: async (...asked) => here.peek(...asked),
    };
  };
}

/** Two replicas; their clocks stand still. */
async function twoApis(limit: number) {
  const options = { limits: { public: limit, key: 2 * limit }, counters: sharedCounters() };
  const [one, other] = [await openApi(options), await openApi(options)];
  for (const api of [one, other]) {
    api.time.now = NOW;
    apis.push(api);
  }
  return [one, other] as const;
}

it('A key has its own limit over all replicas', async () => {
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

it('Invalid keys count together over all replicas, and then even a valid one is ignored', async () => {
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

it('A request counts before a failed key store is reported', async () => {
  const api = await openApi({
    limits: { public: 2, key: 2 },
    counters: sharedCounters(),
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

it('Requests that cannot be parsed count over all replicas', async () => {
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

it('Pipelined requests are answered in order while a counter elsewhere is awaited', async () => {
  const [one] = await twoApis(3);
  const request = 'GET /v1/stats/global HTTP/1.1\r\nHost: x\r\n';
  const last = `${request}Connection: close\r\n\r\n`;
  const { body, headers } = await askRaw(one, `${request}\r\n`.repeat(4).concat(last));
  const left = [headers['x-ratelimit-remaining']];
  for (const found of body.matchAll(/X-RateLimit-Remaining: (\d+)/gi)) left.push(found[1]);
  expect(left).toEqual(['2', '1', '0', '0', '0']);
});
