import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Compressor } from '#http/api/answer/compressor';
import { chooseEncoding, etagOf } from '#http/negotiation';
import { openApi, type TestApi, testApi } from '../../support/api.ts';
import { ETH, ETH_UNSEEN } from '../../support/api-source.ts';
import { randomFractions } from '../../support/random.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** A GET whose body isn't decompressed. */
function raw(on: TestApi, path: string, headers: Record<string, string> = {}): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const req = request(on.url + path, { headers }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => {
        const { statusCode: status = 0, headers: given } = res;
        resolve({ status, headers: given, body: Buffer.concat(chunks) });
      });
    });
    req.on('error', reject);
    req.end();
  });
}

describe('conditions by date and by If-Match', () => {
  // When the newest data in this source is from.
  const MODIFIED = 'Tue, 14 Nov 2023 22:13:20 GMT';
  const [EARLIER, LATER] = ['Tue, 14 Nov 2023 22:13:19 GMT', 'Tue, 14 Nov 2023 22:13:21 GMT'];
  const TAG = 'W/"1-rev-1"';
  const path = `/v1/reputation/${ETH}`;

  it.each([
    [{ 'If-Modified-Since': MODIFIED }, 304],
    [{ 'If-Modified-Since': LATER }, 304],
    [{ 'If-Modified-Since': EARLIER }, 200],
    [{ 'If-Modified-Since': 'Tue Nov 14 22:13:20 2023' }, 304],
    [{ 'If-Modified-Since': 'nonsense' }, 200],
    [{ 'If-Modified-Since': `${MODIFIED}, ${MODIFIED}` }, 200],
    // The tag decides, whatever the date says.
    [{ 'If-Modified-Since': MODIFIED, 'If-None-Match': '"other"' }, 200],
    [{ 'If-Modified-Since': EARLIER, 'If-None-Match': TAG }, 304],
    [{ 'If-Unmodified-Since': MODIFIED }, 200],
    [{ 'If-Unmodified-Since': EARLIER }, 412],
    [{ 'If-Unmodified-Since': 'nonsense' }, 200],
    [{ 'If-Unmodified-Since': EARLIER, 'If-None-Match': TAG }, 412],
    [{ 'If-Unmodified-Since': MODIFIED, 'If-None-Match': TAG }, 304],
    // Strong comparison: a weak tag never matches.
    [{ 'If-Match': TAG }, 412],
    [{ 'If-Match': '"1-rev-1"' }, 412],
    [{ 'If-Match': 'nonsense' }, 412],
    [{ 'If-Match': '*' }, 200],
    [{ 'If-Match': '*', 'If-Unmodified-Since': EARLIER }, 200],
    [{ 'If-Match': '*', 'If-None-Match': TAG }, 304],
  ] as const)('%o: %i', async (headers, status) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await api.get(path, { method, headers: { ...headers } });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('last-modified')).toBe(MODIFIED);
      if (status === 412 && method === 'GET') {
        expect(await answer.json()).toMatchObject({ code: 'precondition-failed', status });
        expect(answer.headers.get('cache-control')).toBe('no-store');
      }
    }
  });

  it('dated after now are ignored, as their clock was set back since', async () => {
    const ahead = new Date(Date.now() + 10 * 86_400_000).toUTCString();
    for (const name of ['If-Modified-Since', 'If-Unmodified-Since'])
      expect((await api.get(path, { headers: { [name]: ahead } })).status).toBe(200);
  });

  it('never hide another error', async () => {
    for (const headers of [{ 'If-Match': '"x"' }, { 'If-Modified-Since': LATER }]) {
      const unseen = await api.get(`/v1/reputation/${ETH_UNSEEN}`, { headers });
      expect(unseen.status).toBe(404);
      expect((await api.get('/v1/leaderboard?limit=0', { headers })).status).toBe(400);
    }
  });

  it('have no date where the clock was set back, as it would hide what came since', async () => {
    const other = await testApi();
    other.source.isUndated = true;
    const headers = { 'If-Modified-Since': LATER };
    const found = await other.get(path, { headers });
    expect([found.status, found.headers.get('last-modified')]).toEqual([200, null]);
    // Nor has it an instance that passes the data on.
    expect(found.headers.get('fathom-as-of')).toBeNull();
  });

  it('have no date within a second of the newest data, nor while data is partial', async () => {
    const other = await testApi();
    const headers = { 'If-Modified-Since': new Date().toUTCString() };
    // Dated later than now, as what comes within the same second may be.
    other.source.asOf = Math.floor(Date.now() / 1000) + 60;
    const fresh = await other.get(path, { headers });
    expect([fresh.status, fresh.headers.get('last-modified')]).toEqual([200, null]);
    other.source.asOf = 1_700_000_000;
    expect((await other.get(path, { headers })).status).toBe(304);
    other.source.isPartial = true;
    const partial = await other.get(path, { headers });
    expect([partial.status, partial.headers.get('last-modified')]).toEqual([200, null]);
    expect(partial.headers.get('fathom-as-of')).toBe('2023-11-14T22:13:20Z');
  });

  it.each([`/v1/breakdown/${ETH}`, '/v1/provenance', '/v1/changes'])(
    'have no date for %s, which changes without newer data, but its time',
    async (changing) => {
      const { headers } = await api.get(changing);
      expect(headers.get('last-modified')).toBeNull();
      expect(headers.get('fathom-as-of')).toBe('2023-11-14T22:13:20Z');
      expect(headers.get('access-control-expose-headers')).toContain('Fathom-As-Of');
      const later = { 'If-Modified-Since': LATER };
      expect((await api.get(changing, { headers: later })).status).toBe(200);
      const same = { 'If-None-Match': headers.get('etag') ?? '' };
      expect((await api.get(changing, { headers: same })).status).toBe(304);
    },
  );
});

describe('If-None-Match', () => {
  const TAG = 'W/"1-rev-1"';
  it.each([
    [TAG, 304],
    ['"1-rev-1"', 304],
    ['*', 304],
    [' * ', 304],
    [`"other", ${TAG}`, 304],
    [`${TAG}, "other"`, 304],
    [`"a","b",${TAG}`, 304],
    [`W/"a" , ${TAG} , W/"b"`, 304],
    [`, ,${TAG},`, 304],
    [`"a,b", ${TAG}`, 304],
    ['"with "1-rev-1" inside"', 200],
    ['"other"', 200],
    ['W/"other"', 200],
    ['', 200],
    [',', 200],
    ['1-rev-1', 200],
    ['W/1-rev-1', 200],
    ['w/"1-rev-1"', 200],
    ['"1-rev-1', 200],
    ['1-rev-1"', 200],
    ['"1-REV-1"', 200],
    [`garbage, ${TAG}`, 200],
    [`${TAG}, garbage`, 200],
    [`*, ${TAG}`, 200],
    [`${TAG} "other"`, 200],
    ['"1-rev-1 "', 200],
    ['W/ "1-rev-1"', 200],
    ["'1-rev-1'", 200],
  ])('%s → %d', async (field, status) => {
    for (const path of [`/v1/reputation/${ETH}`, '/v1/leaderboard', '/v1/stats/global']) {
      const answer = await raw(api, path, { 'If-None-Match': field });
      expect(answer.status, path).toBe(status);
      expect(answer.headers.etag).toBe(TAG);
      if (status === 304) {
        expect(answer.body.length).toBe(0);
        expect(answer.headers['content-length']).toBeUndefined();
        expect(answer.headers['content-type']).toBeUndefined();
        expect(answer.headers['cache-control']).toContain('max-age=30');
      }
    }
  });

  it('treats several If-None-Match lines as one list', async () => {
    const headers = new Headers();
    headers.append('If-None-Match', '"a"');
    headers.append('If-None-Match', TAG);
    expect((await api.get('/v1/stats/global', { headers })).status).toBe(304);
  });

  it('does not turn an error into a 304', async () => {
    const headers = { 'If-None-Match': '*' };
    expect((await raw(api, `/v1/reputation/${ETH_UNSEEN}`, headers)).status).toBe(404);
    expect((await raw(api, '/v1/leaderboard?limit=0', headers)).status).toBe(400);
    expect((await raw(api, '/v1/reputation/x', headers)).status).toBe(400);
    expect((await raw(api, '/v1/x', headers)).status).toBe(404);
  });

  it('gives each revision of the data a new tag', async () => {
    const moving = await testApi();
    const headers = { 'If-None-Match': TAG };
    expect((await raw(moving, '/v1/stats/global', headers)).status).toBe(304);
    moving.source.revision = 'rev-2';
    const answer = await raw(moving, '/v1/stats/global', headers);
    expect([answer.status, answer.headers.etag]).toEqual([200, 'W/"1-rev-2"']);
  });

  it('reads the tag before the data, so that it never names a later revision', async () => {
    const moving = await testApi();
    const stats = await moving.source.stats();
    moving.source.override.stats = async () => {
      moving.source.revision = 'rev-2';
      return stats;
    };
    const answer = await raw(moving, '/v1/stats/global');
    expect(answer.headers.etag).toBe('W/"1-rev-1"');
  });

  it('accepts any text as a revision', () => {
    expect(etagOf('a b"ü\n')).toBe('W/"1-a%20b%22%C3%BC%0A"');
  });

  it('gives pages tags, too', async () => {
    for (const path of ['/docs', '/openapi.json']) {
      const first = await raw(api, path);
      const again = await raw(api, path, { 'If-None-Match': first.headers.etag as string });
      expect([first.status, again.status, again.body.length]).toEqual([200, 304, 0]);
    }
  });
});

describe('compression', () => {
  const LONG = `/v1/activity/${ETH}?limit=200`;
  const SHORT = '/v1/stats/global';

  const decode = { br: brotliDecompressSync, gzip: gunzipSync };

  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0.1', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0.5, identity', undefined],
    ['gzip;q=0.5, identity;q=0.4', 'gzip'],
    ['identity', undefined],
    ['deflate', undefined],
    ['', undefined],
    ['gzip;q=0', undefined],
    ['*;q=0', undefined],
    ['gzip;q=nonsense', undefined],
    ['gzip;q=2', undefined],
    ['identity;q=0', undefined],
    ['identity;q=0, gzip', 'gzip'],
  ] as const)('Accept-Encoding: %s → %s', async (field, encoding) => {
    const plain = await raw(api, LONG);
    // Once compressed now, once from the cache.
    for (let i = 0; i < 2; i += 1) {
      const answer = await raw(api, LONG, { 'Accept-Encoding': field });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-encoding']).toBe(encoding);
      expect(Number(answer.headers['content-length'])).toBe(answer.body.length);
      expect(answer.headers.etag).toBe(plain.headers.etag);
      const body = encoding === undefined ? answer.body : decode[encoding](answer.body);
      expect(body.equals(plain.body)).toBe(true);
      if (encoding !== undefined) expect(answer.body.length).toBeLessThan(plain.body.length / 3);
    }
  });

  it('leaves a short body uncompressed unless identity is refused', async () => {
    const plain = await raw(api, SHORT);
    expect(plain.body.length).toBeLessThan(1024);
    const usual = await raw(api, SHORT, { 'Accept-Encoding': 'gzip, br' });
    expect(usual.headers['content-encoding']).toBeUndefined();
    const strict = await raw(api, SHORT, { 'Accept-Encoding': 'gzip, identity;q=0' });
    expect(strict.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(strict.body).equals(plain.body)).toBe(true);
    expect(chooseEncoding('gzip, *;q=0')).toEqual({ encoding: 'gzip', mustEncode: true });
  });

  it('caches compressed bodies by revision', async () => {
    const moving = await testApi();
    const headers = { 'Accept-Encoding': 'gzip' };
    const before = await raw(moving, LONG, headers);
    moving.source.revision = 'rev-2';
    moving.source.override.activity = (wallet) => ({
      address: wallet.address,
      activities: Array.from({ length: 20 }, () => ({
        id: 'act_new',
        type: 'badge_earned',
        description: 'new',
        points: 1,
        timestamp: '2025-12-15T14:30:00Z',
      })),
      total: 20,
    });
    const after = await raw(moving, LONG, headers);
    expect(gunzipSync(before.body).includes('act_new')).toBe(false);
    expect(gunzipSync(after.body).includes('act_new')).toBe(true);
  });

  it('compresses pages', async () => {
    for (const path of ['/docs', '/openapi.json']) {
      const plain = await raw(api, path);
      const answer = await raw(api, path, { 'Accept-Encoding': 'br' });
      expect(brotliDecompressSync(answer.body).equals(plain.body)).toBe(true);
    }
  });

  it('bounds the cache in count and bytes, and compresses once for concurrent requests', async () => {
    const compressor = new Compressor({ entries: 3, bytes: 1_000 });
    const first = compressor.compress('a', 'x'.repeat(2_000), 'gzip');
    expect(compressor.compress('a', 'x'.repeat(2_000), 'gzip')).toBe(first);
    await first;
    expect(compressor.compress('a', '', 'gzip')).toBeInstanceOf(Buffer);
    for (const key of ['b', 'c', 'd', 'e']) await compressor.compress(key, key, 'br');
    expect(compressor.held.entries).toBe(3);
    const noise = randomFractions(3_000)
      .map((each) => each.toString(36))
      .join('');
    await compressor.compress('noise', noise, 'gzip');
    expect(compressor.held.bytes).toBeLessThanOrEqual(1_000);
  });
});
