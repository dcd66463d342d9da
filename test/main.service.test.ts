import { connect } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { WORDS } from '#http/api/docs/words';
import { wordsFor } from '#http/pages/words/index';
import type { GlobalStats, LeaderboardPage } from '#reputation/api-records';
import { TIERS } from '#reputation/tier';
import { CHAIN_CODES, chainOfCode } from '#wallet/wallet';
import { TelegramStandIn } from '../bench/servers/telegram/stand-in.ts';
import { workplace } from './support/import-cli.ts';
import { addressOf } from './support/import-lines.ts';
import { NO_DATA, type Service, startService } from './support/service.ts';

let service: Service | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

/** A service that several tests only read from, since starting one takes long. */
function startedOnce(env: Record<string, string>, nodeArguments?: readonly string[]) {
  let started: Promise<Service> | undefined;
  afterAll(async () => void (await (await started)?.stop()));
  return () => {
    started ??= startService(env, nodeArguments);
    return started;
  };
}

describe('over demo data', () => {
  // A bug in a module loaded into the service, triggered by a signal.
  const bug = `data:text/javascript,process.on('SIGUSR2', () => { Promise.reject(new Error('nobody caught me')); })`;
  const demo = startedOnce(
    { RATE_LIMIT_PUBLIC: '1000', DISCORD_TOKN: 'x', DATABASE_URI: 'sqlite:x' },
    ['--import', bug],
  );

  it('is what the service starts with if nothing is configured, and marks it wherever it shows', async () => {
    const { url, output } = await demo();
    const header = async (path: string, init: RequestInit = {}) =>
      (await fetch(url + path, init)).headers.get('fathom-data');
    const etag = (await fetch(`${url}/v1/stats/global`)).headers.get('etag') ?? '';
    expect(await header('/v1/stats/global')).toBe('demo');
    expect(await header('/v1/stats/global', { headers: { 'If-None-Match': etag } })).toBe('demo');
    expect(await header('/v1/stats/global', { method: 'OPTIONS' })).toBe('demo');
    expect(await header('/v1/reputation/nothing')).toBe('demo');
    expect(await header('/v1/nothing')).toBe('demo');
    expect(await raw(url, 'GET /v1/stats/global nonsense\r\n\r\n')).toMatch(
      /^Fathom-Data: demo\r$/m,
    );
    expect(await (await fetch(`${url}/docs`)).text()).toContain(WORDS.demo);
    const page = await fetch(url, { headers: { 'Accept-Language': 'es' } });
    expect(await page.text()).toContain(wordsFor(['es']).page.demo);
    const question = { caller: '0'.repeat(32), language: 'en', text: '/top' };
    const answer = await fetch(`${url}/playground/ask`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(question),
    });
    const { discord, telegram } = (await answer.json()) as Record<string, object>;
    for (const card of [discord, telegram]) {
      expect(JSON.stringify(card)).toContain(textsFor('en').demoData);
    }
    expect(output()).toMatch(/"level":"warn".*demo data: neither DATABASE_URL/);
  });

  it('has every tier on every chain, and some thousands of wallets', async () => {
    const { url } = await demo();
    const read = async <T>(path: string) => (await (await fetch(`${url}/v1/${path}`)).json()) as T;
    const stats = await read<GlobalStats>('stats/global');
    expect(stats.totalUsers).toBeGreaterThanOrEqual(2_000);
    expect(stats.totalBadgesIssued).toBeGreaterThan(0);
    for (const code of CHAIN_CODES) {
      const tiers = new Set<string>();
      const { users } = stats.chains[chainOfCode(code)];
      for (let offset = 0; offset < users; offset += 100) {
        const query = `leaderboard?chain=${code}&limit=100&offset=${offset}`;
        for (const { tier } of (await read<LeaderboardPage>(query)).leaderboard) tiers.add(tier);
      }
      expect([...tiers]).toEqual([...TIERS]);
    }
  });

  it('is the same at every start', async () => {
    service = await startService();
    const [first, second] = await Promise.all(
      [await demo(), service].map(async ({ url }) => (await fetch(`${url}/v1/leaderboard`)).text()),
    );
    expect(first).toBe(second);
  });

  it('names the likely variable for a misspelled one', async () => {
    const { output } = await demo();
    expect(output()).toContain('DISCORD_TOKN: unknown setting. Did you mean DISCORD_TOKEN?');
    expect(output()).toContain('Did you mean DATABASE_URL?');
  });

  it('logs an unhandled rejection in full and keeps running', async () => {
    const { child, url, output } = await demo();
    child.kill('SIGUSR2');
    await expect.poll(output).toContain('nobody caught me');
    expect((await fetch(`${url}/v1/stats/global`)).status).toBe(200);
  });

  it('refuses to start on a port in use, and says what to do', async () => {
    const { port } = new URL((await demo()).url);
    await expect(startService({ ...NO_DATA, PORT: port })).rejects.toThrow(/PORT/);
  });
});

describe('over an empty database', () => {
  const empty = startedOnce(NO_DATA);

  it('shows no demo mark', async () => {
    const { url, output } = await empty();
    const answer = await fetch(`${url}/v1/stats/global`);
    expect(answer.headers.has('fathom-data')).toBe(false);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Fathom-Data');
    expect(await (await fetch(url)).text()).not.toContain('made up');
    expect(output()).not.toContain('demo');
  });

  it('says what to do next, in the log and in the cards', async () => {
    const { url, output } = await empty();
    expect(output()).toMatch(/"level":"warn".*the database is empty: import.*fathom -- import/);
    for (const text of ['/top', '/stats', `/rep ${addressOf('ethereum', 1)}`]) {
      const answer = await fetch(`${url}/playground/ask`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ caller: '0'.repeat(32), language: 'en', text }),
      });
      const { telegram } = (await answer.json()) as { telegram: { text: string } };
      expect(telegram.text).toContain('npm run fathom -- import FILE');
    }
  });
});

/** How a server responds to what no client would send. */
async function raw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(request);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

it('The service answers requests in flight on SIGTERM, then exits with 0', async () => {
  service = await startService(NO_DATA);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  // Begun, but not finished before the signal.
  socket.write('GET /v1/stats/global HTTP/1.1\r\nHost: x\r\n');
  await fetch(`${service.url}/livez`);
  const ended = service.stop();
  await expect.poll(() => service?.output()).toContain('stopping');
  socket.write('\r\n');
  expect(await ended).toBe(0);
  expect(answer).toMatch(/^HTTP\/1\.1 200 .*"totalUsers"/s);
  expect(answer).toMatch(/^Connection: close\r$/im);
});

it('The service does not mention other processes when a single one ends', async () => {
  const telegram = await TelegramStandIn.open();
  service = await startService({
    ...NO_DATA,
    TELEGRAM_TOKEN: telegram.token,
    TELEGRAM_API_URL: telegram.apiUrl,
  });
  await expect.poll(() => service?.output()).toContain('this replica polls for updates');
  expect(await service.stop()).toBe(0);
  await telegram.close();
  expect(service.output()).toContain('"stopped"');
  expect(service.output()).not.toContain('another replica');
});

it('The service is not kept alive by an idle connection', async () => {
  service = await startService(NO_DATA);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await fetch(`${service.url}/livez`);
  expect(await service.stop()).toBe(0);
  socket.destroy();
});

it('The service refuses a second service on one SQLite file and says why, while the first continues', async () => {
  const { env } = workplace();
  service = await startService(env);
  await expect(startService(env)).rejects.toThrow(
    /ended with [1-9]\d*: .*Another process serves from .*, and a SQLite file is for one/s,
  );
  expect((await fetch(`${service.url}/livez`)).status).toBe(200);
});

it.each([
  [{ HOST: 'nonsense.invalid' }, /HOST: can't resolve that name/],
  [{ METRICS_HOST: '192.0.2.1' }, /METRICS_HOST: that isn't an address of this machine/],
  [{ DATABASE_URL: 'sqlite:/proc/nowhere/x/fathom.db' }, /DATABASE_URL: can't create/],
  [
    { DATABASE_URL: 'sqlite:/proc' },
    /DATABASE_URL: \/proc can't be opened.*because it is a folder/,
  ],
  [{ DATABASE_URL: 'sqlite:/dev/null/fathom.db' }, /DATABASE_URL: .*\/dev\/null isn't a folder/],
])(
  'The service refuses to start with %o, and names the variable and the cause',
  async (env, words) => {
    await expect(startService({ ...NO_DATA, ...env })).rejects.toThrow(words);
  },
);

it('The service names the variable when it refuses to start with an invalid value', async () => {
  await expect(startService({ PORT: 'x', TIERS: 'y' })).rejects.toThrow(/PORT: .*\n.*TIERS: /);
});
