import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createApiKey, looksLikeApiKey } from '#base/api-key';
import { RetryableError } from '#base/errors';
import { hashApiKey } from '#base/process/api-key-hash';
import { type TestApi, testApi } from '../../support/api.ts';

const PATH = '/v1/stats/global';
const get = (api: TestApi, headers: Record<string, string>) => api.get(PATH, { headers });

describe('the format of a key', () => {
  it('is fth_, 30 characters and their CRC32 in base62', () => {
    const key = createApiKey(randomBytes);
    expect(key).toMatch(/^fth_[0-9A-Za-z]{36}$/);
    let value = 0;
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    for (const character of key.slice(34)) value = value * 62 + alphabet.indexOf(character);
    expect(value).toBe(crc32(key.slice(4, 34)));
    expect(looksLikeApiKey(key)).toBe(true);
  });

  it('detects a typing error anywhere', () => {
    const key = createApiKey(randomBytes);
    for (let i = 0; i < key.length; i += 1) {
      const wrong = key[i] === 'x' ? 'y' : 'x';
      expect(looksLikeApiKey(key.slice(0, i) + wrong + key.slice(i + 1))).toBe(false);
    }
    for (const text of [key.slice(1), `${key}0`, ` ${key}`, '', 'fth_', key.toUpperCase()]) {
      expect(looksLikeApiKey(text)).toBe(false);
    }
  });

  it('skips bytes that would favour some characters', () => {
    const given: number[] = [];
    const key = createApiKey((length) => {
      const bytes = Uint8Array.from({ length }, (_, i) => (i % 2 === 1 ? 255 : 61));
      given.push(length);
      return bytes;
    });
    expect(key.slice(4, 34)).toBe('z'.repeat(30));
    expect(given.length).toBeGreaterThan(1);
  });

  it('stores the SHA-256 in hex', () => {
    expect(hashApiKey('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('a valid key', () => {
  it.each([false, true])(
    'raises the limit, in either header (asynchronous store: %s)',
    async (later) => {
      const api = await testApi({ limits: { public: 100, key: 1000 } });
      api.keys.later = later;
      const key = api.keys.create();
      const ways = [
        { Authorization: `Bearer ${key}` },
        { Authorization: `bearer  ${key}` },
        { 'X-API-Key': key },
        { 'X-API-Key': key, Authorization: `Bearer ${key}` },
      ];
      for (const [i, headers] of ways.entries()) {
        const answer = await get(api, headers);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('ratelimit-policy')).toBe('"key";q=1000;w=60');
        expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`^"key";r=${999 - i};t=`));
        expect(answer.headers.get('cache-control')).toBe(
          'private, max-age=30, stale-while-revalidate=60',
        );
      }
      const without = await get(api, {});
      expect(without.headers.get('ratelimit')).toMatch(/^"public";r=99;/);
    },
  );

  it.each([false, true])(
    'is answered with 503 if it cannot be looked up, and counts (asynchronous: %s)',
    async (later) => {
      const findByHash = () => {
        const error = new RetryableError('the store is locked');
        if (later) return Promise.reject(error);
        throw error;
      };
      const api = await testApi({ keys: { findByHash }, limits: { public: 2, key: 10 } });
      const headers = { 'X-API-Key': createApiKey(randomBytes) };
      const answer = await get(api, headers);
      expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([503, '1']);
      expect((await get(api, headers)).status).toBe(503);
      expect((await get(api, headers)).status).toBe(429);
    },
  );

  it('has a window of its own', async () => {
    const api = await testApi({ limits: { public: 1, key: 2 } });
    const [one, two] = [api.keys.create(), api.keys.create()];
    const status = async (key: string) => (await get(api, { 'X-API-Key': key })).status;
    expect([await status(one), await status(one), await status(one)]).toEqual([200, 200, 429]);
    expect(await status(two)).toBe(200);
    const limited = await get(api, { 'X-API-Key': one });
    expect(limited.headers.get('ratelimit-policy')).toBe('"key";q=2;w=60');
  });
});

describe('an invalid key', () => {
  const spare = createApiKey(randomBytes);

  it.each<[string, (right: string) => Record<string, string>]>([
    ['unknown', () => ({ 'X-API-Key': spare })],
    ['mistyped', (right) => ({ 'X-API-Key': `${right.slice(0, -1)}!` })],
    ['empty', () => ({ 'X-API-Key': '' })],
    ['empty Authorization', () => ({ Authorization: '' })],
    ['Bearer alone', () => ({ Authorization: 'Bearer' })],
    ['another scheme', (right) => ({ Authorization: `Basic ${right}` })],
    ['no scheme', (right) => ({ Authorization: right })],
    ['two in one', (right) => ({ Authorization: `Bearer ${right} ${right}` })],
    ['two lines', (right) => ({ 'X-API-Key': `${right}, ${right}` })],
    ['different ones', (right) => ({ Authorization: `Bearer ${right}`, 'X-API-Key': spare })],
  ])('%s is refused, never treated as none', async (_name, headersOf) => {
    const api = await testApi();
    const answer = await get(api, headersOf(api.keys.create()));
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('ratelimit-policy')).toMatch(/^"public"/);
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ code: 'invalid-api-key' });
    expect(text).not.toContain('fth_');
  });

  it('is not looked up if it is mistyped', async () => {
    const api = await testApi();
    await get(api, { 'X-API-Key': `${api.keys.create().slice(0, -1)}!` });
    expect(api.keys.lookups).toBe(0);
  });

  it('is an unknown parameter in the URL, and is not repeated', async () => {
    const api = await testApi();
    const key = api.keys.create();
    const answer = await api.get(`${PATH}?api_key=${key}`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toContain(key);
  });

  it('has no effect outside /v1', async () => {
    const api = await testApi();
    const answer = await api.get('/docs', { headers: { 'X-API-Key': 'nonsense' } });
    expect(answer.status).toBe(200);
  });

  it('blocks its sender after five within 30 s, without looking up the next', async () => {
    const api = await testApi();
    api.time.now = 1_000_000_000_000;
    const right = api.keys.create();
    for (let i = 0; i < 5; i += 1)
      expect((await get(api, { 'X-API-Key': spare })).status).toBe(401);
    const { lookups } = api.keys;

    api.time.now += 10_500;
    for (const key of [right, spare, 'nonsense']) {
      const answer = await get(api, { 'X-API-Key': key });
      expect(answer.status).toBe(429);
      expect(answer.headers.get('retry-after')).toBe('20');
      expect(await answer.json()).toMatchObject({ code: 'rate-limited' });
    }
    expect(api.keys.lookups).toBe(lookups);
    expect((await get(api, {})).status).toBe(200);

    api.time.now += 19_500;
    expect((await get(api, { 'X-API-Key': right })).status).toBe(200);
  });

  it('does not block its sender after four', async () => {
    const api = await testApi();
    for (let i = 0; i < 4; i += 1) await get(api, { 'X-API-Key': spare });
    expect((await get(api, { 'X-API-Key': api.keys.create() })).status).toBe(200);
  });

  it('counts towards the public window', async () => {
    const api = await testApi({ limits: { public: 2, key: 10 } });
    expect((await get(api, { 'X-API-Key': spare })).headers.get('x-ratelimit-remaining')).toBe('1');
    expect((await get(api, {})).status).toBe(200);
    expect((await get(api, { 'X-API-Key': spare })).status).toBe(429);
  });
});
