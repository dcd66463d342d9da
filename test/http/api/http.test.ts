import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import {
  askRaw,
  exchangeRaw,
  openApi,
  parseAnswer,
  type TestApi,
  testApi,
} from '../../support/api.ts';
import { ETH, ETH_UNSEEN } from '../../support/api-source.ts';

const RESOURCES = [
  `/v1/reputation/${ETH}`,
  `/v1/badges/${ETH}`,
  '/v1/leaderboard',
  `/v1/activity/${ETH}`,
  '/v1/stats/global',
];
const PAGES = ['/openapi.json', '/docs', '/robots.txt', '/favicon.ico', '/livez', '/readyz'];

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

/** Sends a request as text. Node's own client refuses to send much of what a server must withstand. */
function ask(method: string, target: string, more = '') {
  return askRaw(
    api,
    `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${more}Connection: close\r\n\r\n`,
  );
}

describe('headers of every /v1 response', () => {
  const answers: [string, string, string, number][] = [
    ['GET', `/v1/reputation/${ETH}`, '', 200],
    ['GET', '/v1/leaderboard', '', 200],
    ['GET', '/v1/stats/global', 'If-None-Match: *\r\n', 304],
    ['GET', '/v1/reputation/x', '', 400],
    ['GET', '/v1/reputation/%', '', 400],
    ['GET', '/v1/leaderboard?x=1', '', 400],
    ['GET', '/v1/stats/global', 'X-API-Key: x\r\n', 401],
    ['GET', `/v1/reputation/${ETH_UNSEEN}`, '', 404],
    ['GET', '/v1', '', 404],
    ['GET', '/v1?x=1', '', 404],
    ['GET', '/v1/%zz', '', 400],
    ['POST', '/v1/leaderboard', 'Content-Length: 2\r\n', 405],
    ['OPTIONS', '/v1/leaderboard', '', 204],
    ['GET', `/v1/leaderboard?${'x'.repeat(2100)}`, '', 414],
    ['GET', '/v1/stats/global', 'Host: other\r\n', 400],
  ];
  it.each(answers)('%s %s %s', async (method, target, more, status) => {
    const { status: given, headers, body } = await ask(method, target, more);
    expect(given).toBe(status);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
    expect(headers['ratelimit-policy']).toBe('"public";q=1000000;w=60');
    expect(headers.ratelimit).toMatch(/^"public";r=\d+;t=\d+$/);
    expect(headers['x-ratelimit-limit']).toBe('1000000');
    expect(headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
    expect(headers['x-ratelimit-reset']).toMatch(/^\d{10}$/);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    for (const name of ['ETag', 'Retry-After', 'X-Request-Id', 'RateLimit', 'RateLimit-Policy']) {
      expect(headers['access-control-expose-headers']?.split(', ')).toContain(name);
    }
    expect(headers.vary).toBe('Authorization, X-API-Key, Accept-Encoding');
    const isGood = status === 200 || status === 304;
    expect(headers.etag).toBe(isGood ? 'W/"1-rev-1"' : undefined);
    if (isGood) {
      expect(headers['cache-control']).toBe('public, max-age=30, stale-while-revalidate=60');
    }
    if (status < 400) return;
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-type']).toBe('application/problem+json');
    const problem = JSON.parse(body) as Record<string, unknown>;
    expect(Object.keys(problem).slice(0, 7)).toEqual([
      'type',
      'title',
      'status',
      'detail',
      'instance',
      'code',
      'requestId',
    ]);
    expect(problem).toMatchObject({
      type: `/docs#${problem.code}`,
      status,
      requestId: headers['x-request-id'],
    });
  });

  it("never uses the client's request id, and never repeats one", async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 3; i += 1) {
      ids.add((await ask('GET', '/livez', 'X-Request-Id: mine\r\n')).headers['x-request-id'] ?? '');
    }
    expect(ids.size).toBe(3);
    expect(ids).not.toContain('mine');
  });
});

describe('methods', () => {
  const METHODS = 'POST PUT PATCH DELETE TRACE PROPFIND QUERY REPORT LINK SEARCH'.split(' ');

  it.each(METHODS)('answers %s on a known path with 405 and Allow', async (method) => {
    for (const path of [...RESOURCES, ...PAGES]) {
      const { status, headers, body } = await ask(method, path);
      expect([status, headers.allow], path).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect(JSON.parse(body)).toMatchObject({ code: 'method-not-allowed', instance: path });
    }
  });

  it.each([
    ['JSON', 'application/json', '{}'],
    ['broken JSON', 'application/json', '{'],
    ['a form', 'application/x-www-form-urlencoded', 'a=1'],
    ['an unknown type', 'application/x-nothing', 'x'],
  ])('answers POST of %s with 405, and 404 elsewhere', async (_name, type, body) => {
    const send = (path: string) =>
      api.get(path, { method: 'POST', body, headers: { 'content-type': type } });
    expect((await send('/v1/leaderboard')).status).toBe(405);
    expect((await send('/v1/nothing')).status).toBe(404);
    const elsewhere = await send('/nothing');
    expect(elsewhere.status).toBe(404);
    expect(await elsewhere.json()).toMatchObject({ code: 'route-not-found' });
  });

  it('answers a megabyte POST in full', async () => {
    const answer = await api.get('/v1/leaderboard', { method: 'POST', body: 'x'.repeat(2 ** 20) });
    expect(await answer.json()).toMatchObject({ code: 'method-not-allowed' });
  });

  it('tolerates Expect', async () => {
    for (const expectation of ['100-continue', 'something-else']) {
      const { status } = await ask('GET', '/v1/stats/global', `Expect: ${expectation}\r\n`);
      expect(status).toBe(200);
    }
    const upload = await ask(
      'PUT',
      '/v1/leaderboard',
      'Expect: 100-continue\r\nContent-Length: 0\r\n',
    );
    expect(upload.status).toBe(405);
  });

  it('answers CONNECT with 405', async () => {
    const { status, headers, body } = await askRaw(
      api,
      'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n',
    );
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(JSON.parse(body)).toMatchObject({ code: 'method-not-allowed' });
  });

  it('ignores Upgrade', async () => {
    const { status } = await ask('GET', '/v1/stats/global', 'Upgrade: websocket\r\n');
    expect(status).toBe(200);
  });

  it('answers an OPTIONS preflight', async () => {
    for (const path of [...RESOURCES, ...PAGES]) {
      const { status, headers, body } = await ask(
        'OPTIONS',
        path,
        'Origin: https://a.example\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: x-api-key\r\n',
      );
      expect([status, body], path).toEqual([204, '']);
      expect(headers).toMatchObject({
        allow: 'GET, HEAD, OPTIONS',
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, OPTIONS',
        'access-control-max-age': '86400',
      });
      const allowed = headers['access-control-allow-headers']?.toLowerCase().split(', ');
      for (const name of [
        'authorization',
        'x-api-key',
        'cache-control',
        'if-none-match',
        'traceparent',
        'tracestate',
      ]) {
        expect(allowed).toContain(name);
      }
    }
    expect((await ask('OPTIONS', '*')).status).toBe(204);
    expect((await ask('OPTIONS', '/v1/nothing')).status).toBe(404);
    expect((await ask('OPTIONS', '/nothing')).status).toBe(404);
  });

  it('sends the headers of GET without a body for HEAD', async () => {
    const paths = [
      ...RESOURCES,
      ...PAGES,
      '/v1/x',
      '/v1/leaderboard?x',
      `/v1/badges/${ETH_UNSEEN}`,
    ];
    for (const encoding of ['', 'Accept-Encoding: gzip\r\n', 'Accept-Encoding: br\r\n']) {
      for (const path of paths) {
        const get = await ask('GET', path, encoding);
        const head = await ask('HEAD', path, encoding);
        expect(head.status).toBe(get.status);
        expect(head.body).toBe('');
        expect(Number(head.headers['content-length']), path).toBe(get.body.length);
        expect(stable(head.headers)).toEqual(stable(get.headers));
      }
    }
  });

  /** Without headers that differ between requests. */
  function stable(headers: Record<string, string>) {
    const changing = ['date', 'ratelimit', 'x-ratelimit-remaining', 'x-request-id'];
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.includes(name)));
  }
});

describe('paths', () => {
  it.each([
    '/v1',
    '/v1/',
    '/v1/leaderboard/',
    '/v1//leaderboard',
    '//v1/leaderboard',
    '/V1/leaderboard',
    '/v1/Leaderboard',
    '/v1/stats',
    '/v1/stats/global/',
    '/v1/reputation/',
    '/v1/reputation/?chain=eth',
    `/v1/reputation/${ETH}/`,
    `/v1/reputation//${ETH}`,
    '/v1/badges/',
    '/v1/activity/',
    '/v1/../v1/leaderboard',
    '/v1/./leaderboard',
    '/v2/leaderboard',
    '/v1leaderboard',
    '/Docs',
    '/docs/',
    '/metrics',
    '/favicon.ICO',
    '/v1/leaderboard%2F',
    '/v1%2Fleaderboard',
  ])('answers %s with 404, not a redirect', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
      const { status, headers, body } = await ask(method, path);
      expect(status, method).toBe(404);
      expect(headers.location).toBeUndefined();
      if (method !== 'HEAD') expect(JSON.parse(body)).toMatchObject({ code: 'route-not-found' });
    }
  });

  it('accepts the absolute form that proxies use', async () => {
    expect((await ask('GET', 'http://localhost/v1/stats/global')).status).toBe(200);
    expect((await ask('GET', 'http://localhost?x')).status).toBe(404);
  });

  it('sets instance to the path without the query, as a valid reference', async () => {
    const instance = async (path: string) => JSON.parse((await ask('GET', path)).body).instance;
    expect(await instance('/v1/leaderboard?secret=fth_1')).toBe('/v1/leaderboard');
    expect(await instance('//evil.example/x')).toBe('/.//evil.example/x');
    expect(await instance('/v1/%zz"<>\\')).toBe('/v1/%25zz%22%3C%3E%5C');
  });
});

describe('failures', () => {
  it('answers 503 with Retry-After if the source has no data right now', async () => {
    const broken = await testApi();
    const error = new RetryableError('/var/lib/x.db is locked', { retryAfter: 7.2 });
    broken.source.override.stats = () => {
      throw error;
    };
    broken.source.override.leaderboard = () => Promise.reject(error);
    for (const path of ['/v1/stats/global', '/v1/leaderboard']) {
      const answer = await broken.get(path);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '8']);
      const text = await answer.text();
      expect(JSON.parse(text)).toMatchObject({ code: 'data-unavailable' });
      expect(text).not.toContain('x.db');
    }
    expect(broken.log.lines[0]).toMatchObject({ level: 'warn' });
  });

  it('answers a bug with 500 without details, logs it with its id, and keeps running', async () => {
    const broken = await testApi();
    const error = new Error('select * from secrets');
    broken.source.override.stats = () => {
      throw error;
    };
    broken.source.override.leaderboard = () => Promise.reject(error);
    broken.source.override.badges = () => Promise.reject(undefined);
    for (const path of ['/v1/stats/global', '/v1/leaderboard', `/v1/badges/${ETH}`]) {
      const answer = await broken.get(path);
      expect(answer.status).toBe(500);
      const text = await answer.text();
      expect(JSON.parse(text)).toMatchObject({ code: 'internal' });
      expect(text).not.toContain('select');
      expect(broken.log.lines.at(-1)).toMatchObject({
        level: 'error',
        fields: { requestId: answer.headers.get('x-request-id') },
      });
    }
    expect((await broken.get(`/v1/reputation/${ETH}`)).status).toBe(200);
  });

  it('treats a record that violates its schema as a bug', async () => {
    const broken = await testApi();
    broken.source.override.stats = () => ({ totalUsers: 1 }) as never;
    expect((await broken.get('/v1/stats/global')).status).toBe(500);
  });

  it('answers pipelined requests in order', async () => {
    const slow = await testApi();
    slow.source.later = true;
    const one = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    const text = await exchangeRaw(
      slow,
      one('/v1/stats/global') +
        one('/v1/nothing') +
        one(`/v1/reputation/${ETH}`, 'Connection: close\r\n'),
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
    expect(parseAnswer(text).status).toBe(200);
  });
});
