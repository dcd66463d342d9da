import { describe, expect, it } from 'vitest';
import { RateWindows } from '#base/rate-window';
import { clientName, trustProxies } from '#http/api/admission/client-address';
import { askRaw, testApi } from '../../support/api.ts';
import { ETH } from '../../support/api-source.ts';

const START = 1_765_809_000_250;

describe('the rate limit window', () => {
  it('counts every request, whatever its outcome, and resets after 60 s', async () => {
    const api = await testApi({ limits: { public: 7, key: 10 } });
    api.time.now = START;
    const requests: [string, RequestInit?][] = [
      [`/v1/reputation/${ETH}`],
      ['/v1/stats/global', { headers: { 'If-None-Match': '*' } }],
      ['/v1/nothing'],
      ['/v1/reputation/%zz'],
      ['/v1/leaderboard', { method: 'POST' }],
      ['/v1/leaderboard', { method: 'OPTIONS' }],
      ['/v1/leaderboard', { method: 'HEAD' }],
    ];
    const statuses: number[] = [];
    for (const [i, [path, init]] of requests.entries()) {
      const answer = await api.get(path, init);
      statuses.push(answer.status);
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(6 - i));
      expect(answer.headers.get('ratelimit')).toBe(`"public";r=${6 - i};t=60`);
      expect(answer.headers.get('x-ratelimit-reset')).toBe('1765809061');
    }
    expect(statuses).toEqual([200, 304, 404, 400, 405, 204, 200]);

    api.time.now = START + 59_001;
    const refused = await api.get(`/v1/reputation/${ETH}`);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('ratelimit')).toBe('"public";r=0;t=1');
    const problem = (await refused.json()) as Record<string, string>;
    expect(problem).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      code: 'rate-limited',
      'violated-policies': ['public'],
    });
    expect(problem.detail).toContain('/apikey');
    expect(problem.detail).toContain('fathom keys create');

    api.time.now = START + 60_000;
    const again = await api.get(`/v1/reputation/${ETH}`);
    expect([again.status, again.headers.get('x-ratelimit-remaining')]).toEqual([200, '6']);
  });

  it('never says more seconds than it has, whatever fractions the clock has', async () => {
    const api = await testApi({ limits: { public: 2, key: 10 } });
    // A minute after this time is, by floating-point arithmetic, more than a minute later.
    api.time.now = 224_290.139_557_639_1;
    const states: (string | null)[] = [];
    for (let i = 0; i < 3; i += 1) {
      states.push((await api.get('/v1/stats/global')).headers.get('ratelimit'));
    }
    expect(states).toEqual(['"public";r=1;t=60', '"public";r=0;t=60', '"public";r=0;t=60']);
    api.time.now += 59_999.5;
    expect((await api.get('/v1/stats/global')).headers.get('retry-after')).toBe('1');
  });

  it('allows exactly the limit of a larger burst', async () => {
    const api = await testApi({ limits: { public: 100, key: 10 } });
    api.time.now = START;
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => api.get('/v1/stats/global')),
    );
    expect(answers.filter((each) => each.status === 200)).toHaveLength(100);
    expect(answers.filter((each) => each.status === 429)).toHaveLength(200);
  });

  it('does not count requests outside /v1', async () => {
    const api = await testApi({ limits: { public: 1, key: 10 } });
    for (const path of ['/livez', '/readyz', '/docs', '/openapi.json', '/nothing', '/v1x']) {
      const answer = await api.get(path);
      expect(answer.headers.get('ratelimit')).toBeNull();
    }
    expect((await api.get('/v1/stats/global')).status).toBe(200);
    expect((await api.get('/v1/stats/global')).status).toBe(429);
    expect((await api.get('/livez')).status).toBe(200);
  });

  it('counts requests that cannot be parsed, if they are known to be for /v1', async () => {
    const api = await testApi({ limits: { public: 2, key: 10 } });
    api.time.now = START;
    const garbage = 'GET /v1/stats/global HTTP/1.1\r\nbad header\r\n\r\n';
    const first = await askRaw(api, garbage);
    expect([first.status, first.headers['x-ratelimit-remaining']]).toEqual([400, '1']);
    expect((await askRaw(api, 'nonsense\r\n\r\n')).headers.ratelimit).toBeUndefined();
    expect((await api.get('/v1/stats/global')).status).toBe(200);
    const limited = await askRaw(api, garbage);
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '60']);
  });
});

describe('the table of windows', () => {
  it('is bounded; expired windows are dropped first, then the oldest', () => {
    const windows = new RateWindows({ length: 60, maxClients: 3 });
    for (const [i, client] of ['a', 'b', 'c'].entries()) windows.count(client, i);
    windows.count('d', 10);
    expect(windows.size).toBe(3);
    expect(windows.peek('a', 10)).toBeUndefined();
    expect(windows.peek('b', 10)?.count).toBe(1);
    windows.count('e', 100);
    expect(windows.size).toBeLessThanOrEqual(2);
    for (let i = 0; i < 1000; i += 1) windows.count(`client ${i}`, 200);
    expect(windows.size).toBe(3);
  });

  it('does not extend a window if the clock is set back', () => {
    const windows = new RateWindows({ length: 60, maxClients: 3 });
    windows.count('a', 1_000);
    expect(windows.count('a', 500).count).toBe(1);
    expect(windows.count('a', 559).count).toBe(2);
    expect(windows.count('a', 560).count).toBe(1);
  });
});

describe('identifying a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['', ''],
  ])('counts %s as %s', (ip, name) => expect(clientName(ip)).toBe(name));

  const trust = trustProxies(['10.0.0.0/8', 'fd00::/8', '192.0.2.1']);
  it.each([
    ['198.51.100.1', '1.1.1.1', '198.51.100.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['10.0.0.1', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
    ['10.0.0.1', '6.6.6.6,1.1.1.1 , 10.9.9.9', '1.1.1.1'],
    ['::ffff:10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['fd12::1', '2001:db8::5', '2001:db8::5'],
    ['192.0.2.1', '1.1.1.1:5678', '1.1.1.1'],
    ['192.0.2.1', '[2001:db8::5]:443', '2001:db8::5'],
    ['192.0.2.2', '1.1.1.1', '192.0.2.2'],
    ['10.0.0.1', '1.1.1.1, unknown', '10.0.0.1'],
    ['10.0.0.1', '1.1.1.1, evil, 10.0.0.2', '10.0.0.2'],
    ['10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
    ['10.0.0.1', ',', '10.0.0.1'],
  ])('takes a request from %s with "%s" as %s', (peer, forwarded, client) => {
    expect(trust.clientBehind(peer, forwarded)).toBe(client);
  });

  it.each(['x', '10.0.0.0/33', '10.0.0.0/x', '::/129', '10.0.0/8', ''])(
    'rejects "%s" as a network',
    (network) => expect(() => trustProxies([network])).toThrow(/isn't a network/),
  );

  it('trusts forwarded headers only behind a trusted proxy', async () => {
    const limits = { public: 1, key: 10 };
    const from = (ip: string) => ({ headers: { 'X-Forwarded-For': ip, Forwarded: `for=${ip}` } });
    const open = await testApi({ limits });
    expect((await open.get('/v1/stats/global', from('1.1.1.1'))).status).toBe(200);
    expect((await open.get('/v1/stats/global', from('2.2.2.2'))).status).toBe(429);

    const behind = await testApi({ limits, trustProxy: ['127.0.0.0/8'] });
    expect((await behind.get('/v1/stats/global', from('1.1.1.1'))).status).toBe(200);
    expect((await behind.get('/v1/stats/global', from('2.2.2.2'))).status).toBe(200);
    expect((await behind.get('/v1/stats/global', from('9.9.9.9, 2.2.2.2'))).status).toBe(429);
    expect((await behind.get('/v1/stats/global', from('2001:db8::1'))).status).toBe(200);
    expect((await behind.get('/v1/stats/global', from('2001:db8::2'))).status).toBe(429);
  });
});
