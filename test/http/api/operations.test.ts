import { afterEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import type { Readiness } from '#http/api/server/health';
import { Metrics, type MetricsServer, startMetricsServer } from '#http/api/server/metrics';
import { TestLog, testApi } from '../../support/api.ts';
import { ETH } from '../../support/api-source.ts';

describe('health', () => {
  it('serves livez and readyz as JSON that is never stored', async () => {
    const api = await testApi();
    const live = await api.get('/livez');
    expect([live.status, live.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await live.json()).toEqual({ status: 'ok' });
    const ready = await api.get('/readyz');
    expect([ready.status, ready.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await ready.json()).toEqual({
      status: 'ready',
      checks: { data: { ok: true, detail: 'up to date' } },
    });
  });

  it('answers readyz with 503 if a check fails or cannot run; livez stays 200', async () => {
    const checks = { data: { ok: false, detail: '90 s behind' } };
    const behind = await testApi({ readiness: () => ({ ready: false, checks }) });
    const answer = await behind.get('/readyz');
    expect([answer.status, await answer.json()]).toEqual([503, { status: 'not ready', checks }]);
    const broken = await testApi({
      readiness: () => {
        throw new Error('/secret/path');
      },
    });
    const failed = await broken.get('/readyz');
    expect(failed.status).toBe(503);
    expect(await failed.text()).not.toContain('secret');
    expect((await broken.get('/livez')).status).toBe(200);
  });
});

describe('readyz', () => {
  it('answers what it knew before while the database is silent, and how old that is', async () => {
    let looks = 0;
    const silent = Promise.withResolvers<Readiness>();
    const checks = { data: { ok: true, detail: 'up to date' } };
    const readiness = () => (looks++ === 0 ? { ready: true, checks } : silent.promise);
    const api = await testApi({ readiness });
    const ask = () => api.get('/readyz');
    await ask();
    await expect.poll(async () => ((await ask()).status === 200 ? looks : 'not ready')).toBe(2);
    const known = (await (await ask()).json()) as Readiness;
    expect(known.checks).toMatchObject({
      ...checks,
      readiness: { ok: false, detail: expect.stringMatching(/^as of \d+ s ago/) },
    });
    silent.resolve({ ready: false, checks });
    await expect.poll(async () => (await ask()).status).toBe(503);
    expect(((await (await ask()).json()) as Readiness).checks).toEqual(checks);
  });

  it('answers a crowd from one reading, and says once what is wrong', async () => {
    let looks = 0;
    const log = new TestLog();
    const held = Promise.withResolvers<never>();
    const readiness = () => {
      looks += 1;
      return held.promise;
    };
    const api = await testApi({ readiness, log });
    const asked = Array.from({ length: 50 }, () => api.get('/readyz'));
    await expect.poll(() => looks).toBe(1);
    held.reject(new Error('no database'));
    for (const each of asked) expect((await each).status).toBe(503);
    await expect
      .poll(async () => {
        await api.get('/readyz');
        return looks;
      })
      .toBeGreaterThan(2);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});

describe('the log', () => {
  it('has each request at debug level, without addresses and keys', async () => {
    const log = new TestLog();
    const api = await testApi({ log, logRequests: true });
    await (await api.get(`/v1/reputation/${ETH}`)).text();
    await (await api.get('/v1/leaderboard?limit=0')).text();
    const requests = () => log.lines.filter(({ message }) => message === 'request');
    await expect.poll(() => requests().length).toBe(2);
    expect(requests().map(({ level }) => level)).toEqual(['debug', 'debug']);
    const [found, refused] = requests().map(({ fields }) => fields);
    expect(found).toEqual({
      requestId: expect.stringMatching(/^[0-9a-f]{12}-\d+$/),
      method: 'GET',
      route: '/v1/reputation/:address',
      status: 200,
      isComplete: true,
      ms: expect.any(Number),
      bytes: expect.any(Number),
      client: 'public',
    });
    expect(Number(found?.bytes)).toBeGreaterThan(300);
    expect(refused).toMatchObject({ route: '/v1/leaderboard', status: 400 });
    expect(JSON.stringify(log.lines)).not.toMatch(new RegExp(`${ETH}|127\\.0\\.0\\.1|::1`));
  });

  it('has one line for all requests that find the data unavailable', async () => {
    const log = new TestLog();
    const api = await testApi({ log });
    api.source.override.stats = () => {
      throw new RetryableError('The database is away.');
    };
    for (let i = 0; i < 20; i++) expect((await api.get('/v1/stats/global')).status).toBe(503);
    const lines = log.lines.filter(({ level }) => level === 'warn' || level === 'error');
    expect(lines.map(({ message }) => message)).toEqual(['the data is unavailable']);
  });
});

describe('metrics', () => {
  let server: MetricsServer | undefined;
  afterEach(() => server?.close());

  async function scrape(metrics: Metrics): Promise<string> {
    server = await startMetricsServer({ port: 0, metrics, log: new TestLog() });
    const answer = await fetch(server.url);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    return answer.text();
  }

  it('counts requests by route template and status', async () => {
    const api = await testApi();
    for (let i = 0; i < 3; i += 1) await api.get(`/v1/reputation/${ETH}`);
    await api.get(`/v1/reputation/${ETH}?x=1`);
    await api.get('/v1/reputation/nonsense');
    await api.get('/v1/leaderboard', { method: 'POST' });
    await api.get('/nothing');
    await api.get('/v1/stats/global', { headers: { 'x-api-key': 'mistyped' } });
    await api.get('/livez');
    const text = await scrape(api.metrics);
    const counted = (route: string, status: number) =>
      text.match(
        new RegExp(
          `^fathom_http_requests_total\\{route="${route}",status="${status}"\\} (\\d+)$`,
          'm',
        ),
      )?.[1];
    expect(counted('/v1/reputation/:address', 200)).toBe('3');
    expect(counted('/v1/reputation/:address', 400)).toBe('2');
    expect(counted('/v1/leaderboard', 405)).toBe('1');
    expect(counted('unmatched', 404)).toBe('1');
    expect(counted('refused', 401)).toBe('1');
    expect(counted('/livez', 200)).toBe('1');
    expect(text).not.toContain(ETH);

    const name = 'fathom_http_request_duration_seconds';
    expect(text).toContain(`# TYPE ${name} histogram`);
    const labels = 'route="/v1/reputation/:address",status="200"';
    expect(text).toContain(`${name}_count{${labels}} 3`);
    expect(text).toContain(`${name}_bucket{${labels},le="+Inf"} 3`);
    const sum = new RegExp(`^${name}_sum\\{${labels}\\} (\\S+)$`, 'm').exec(text)?.[1];
    expect(Number(sum)).toBeGreaterThan(0);
    expect(text).toContain('process_resident_memory_bytes');
  });

  it('adds up buckets, and counts the slowest in +Inf only', async () => {
    const metrics = new Metrics();
    const route = metrics.route('/x');
    for (const seconds of [0.0001, 0.0005, 0.0006, 99]) route.observe(200, seconds);
    const text = await metrics.render();
    const bucket = (le: string) =>
      text.match(new RegExp(`_bucket\\{route="/x",status="200",le="${le}"\\} (\\d+)`))?.[1];
    expect([bucket('0.0005'), bucket('0.001'), bucket('10'), bucket('\\+Inf')]).toEqual([
      '2',
      '3',
      '3',
      '4',
    ]);
  });

  it('queries the store at each scrape', async () => {
    let wallets = 1;
    const metrics = new Metrics({
      storeFigures: () => ({
        wallets: wallets++,
        activities: 20,
        lagSeconds: 0.5,
        isStuck: false,
        bytes: 4096,
        lastImportAt: undefined,
      }),
    });
    const text = await scrape(metrics);
    expect(text).toMatch(/^fathom_wallets 1$/m);
    expect(text).toMatch(/^fathom_activities 20$/m);
    expect(text).toMatch(/^fathom_source_lag_seconds 0.5$/m);
    expect(text).toMatch(/^fathom_store_bytes 4096$/m);
    expect(text).not.toMatch(/^fathom_last_import_timestamp_seconds/m);
  });

  it('serves the other metrics if the store fails', async () => {
    const metrics = new Metrics({
      storeFigures: () => {
        throw new Error('locked');
      },
    });
    const text = await scrape(metrics);
    expect(text).not.toMatch(/^fathom_wallets \d/m);
    expect(text).toContain('process_cpu_seconds_total');
  });

  it('serves them on their own port only, for GET and HEAD', async () => {
    const api = await testApi();
    expect((await api.get('/metrics')).status).toBe(404);
    await scrape(api.metrics);
    const url = server?.url ?? '';
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    expect((await fetch(url.replace('/metrics', '/v1/stats/global'))).status).toBe(404);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe('other routes', () => {
  it('gives their pages an id and measures them, but does not limit them', async () => {
    const api = await testApi({
      limits: { public: 1, key: 1 },
      register(app) {
        app.get('/page/:name', async (request) => ({ hello: request.params, q: request.query }));
        app.post('/hook', async (request) => request.body);
        app.get('/broken', async () => {
          throw new Error('inside');
        });
      },
    });
    for (let i = 0; i < 3; i += 1) {
      const answer = await api.get('/page/x?a=1');
      expect(await answer.json()).toEqual({ hello: { name: 'x' }, q: { a: '1' } });
      expect(answer.headers.get('x-request-id')).toMatch(/-/);
      expect(answer.headers.get('ratelimit')).toBeNull();
    }
    const post = (body: string) =>
      api.get('/hook', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    expect(await (await post('{"a":1}')).json()).toEqual({ a: 1 });
    const bad = await post('{');
    expect([bad.status, await bad.json()]).toMatchObject([400, { code: 'bad-request' }]);
    const broken = await api.get('/broken');
    expect(broken.status).toBe(500);
    expect(await broken.text()).not.toContain('inside');
    const figures = await api.metrics.render();
    for (const [route, status, count] of [
      ['/page/:name', 200, 3],
      ['/hook', 200, 1],
      ['/hook', 400, 1],
      ['/broken', 500, 1],
    ]) {
      expect(figures).toContain(
        `fathom_http_requests_total{route="${route}",status="${status}"} ${count}\n`,
      );
    }
  });
});

describe('starting the server', () => {
  it('reports a port in use', async () => {
    const api = await testApi();
    await expect(testApi({ port: api.port })).rejects.toThrow(/EADDRINUSE/);
  });

  it('reports an invalid network', async () => {
    await expect(testApi({ trustProxy: ['nowhere'] })).rejects.toThrow(/"nowhere" isn't a network/);
  });
});
