import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { StandInInteraction } from '../bench/servers/discord/interaction.ts';
import { freePort } from '../bench/servers/free-port.ts';
import { textOf } from './support/discord/read.ts';
import { activityLine, addressOf, badgeLine } from './support/import-lines.ts';
import { missingNginx, type Nginx, startNginx } from './support/nginx.ts';
import { patienceMs } from './support/patience.ts';
import { missingRedis } from './support/redis.ts';
import { Replicas } from './support/replicas.ts';
import { startService } from './support/service.ts';
import { startTcpProxy, type TcpProxy } from './support/tcp-proxy.ts';

/** The nginx of compose.yaml, with processes as replicas instead of containers. */

const NUMBERS = [0, 1, 2] as const;
const WALLET = addressOf('ethereum', 1);
const REPUTATION = `/v1/reputation/${WALLET}`;
const BADGES = `/v1/badges/${WALLET}`;
/** What no replica has in memory. */
const ACTIVITIES = `/v1/activity/${WALLET}`;
const LONG = { timeout: patienceMs(240_000), interval: 100 };
const missing = missingNginx ?? missingRedis;

describe.skipIf(missing !== undefined)(missing ?? 'nginx, as compose.yaml configures it,', () => {
  let replicas: Replicas;
  let nginx: Nginx;
  let database: TcpProxy;

  beforeAll(async () => {
    replicas = await Replicas.open({ RATE_LIMIT_PUBLIC: '1000000' });
    const lines = [
      badgeLine(0),
      activityLine('ethereum', 1, { points: 7, source: 'a' }),
      activityLine('ethereum', 1, { type: 'badge_earned', badge: 'badge-0', source: 'b' }),
    ];
    await replicas.command(['import', '-'], lines.map((line) => JSON.stringify(line)).join('\n'));
    // The first one has its own route to the database.
    database = await startTcpProxy(replicas.cluster.port);
    const url = new URL(replicas.databaseUrl);
    url.port = String(database.port);
    await replicas.start(0, { DATABASE_URL: url.href });
    await replicas.start(1);
    await replicas.start(2);
    nginx = await startNginx(NUMBERS.map((number) => replicas.urlOf(number)));
    replicas.discord.delivery.urls = [`${nginx.url}/discord/interactions`];
  });
  afterAll(async () => {
    await nginx?.remove();
    await replicas?.close();
    await database?.close();
  });

  async function get(path: string): Promise<{ status: number; type: string | null }> {
    const response = await fetch(nginx.url + path);
    await response.arrayBuffer();
    return { status: response.status, type: response.headers.get('content-type') };
  }
  const statusesOf = async (path: string, count: number) => {
    const found = new Set<number>();
    for (let i = 0; i < count; i++) found.add(await statusOf(path));
    return [...found];
  };

  const askStats = () => replicas.discord.command('stats');

  /**
   * Once, or twice where the machine kept a replica so busy that nginx asked another one too.
   * @param again as a person does where every replica was too slow for nginx, so that none was told
   */
  async function toldOnce(
    asked: readonly StandInInteraction[],
    text: string,
    again: () => StandInInteraction,
  ): Promise<void> {
    for (let each of asked) {
      const isOver = () => each.expired || (each.seen.length > 0 && shownBy(each).includes(text));
      for (let tries = 1; ; tries += 1) {
        await vi.waitUntil(isOver, LONG);
        if (!each.expired || slownesses() === 0 || tries === 50) break;
        each = again();
      }
      expect(shownBy(each)).toContain(text);
      expect(each.edits).toBeGreaterThan(0);
      expect(each.edits).toBeLessThanOrEqual(slownesses() === 0 ? 1 : 2);
      expect(each.whispers).toEqual([]);
    }
  }
  const shownBy = ({ seen }: StandInInteraction) => seen.map(textOf).join();

  /** The lines of nginx's log that were written while replica 1 was frozen: from one, up to another. */
  const frozen: { from: number; to: number }[] = [];

  function freeze(): void {
    frozen.push({ from: nginx.faults().length, to: Number.POSITIVE_INFINITY });
    replicas.freeze(1);
  }

  function thaw(): void {
    const last = frozen.at(-1);
    if (last?.to === Number.POSITIVE_INFINITY) last.to = nginx.faults().length;
    replicas.thaw(1);
  }

  /** How often nginx gave up on a replica: on the frozen one in each of its times, and on any other. */
  function timeouts(): { frozen: number[]; others: number } {
    const { host } = new URL(replicas.urlOf(1));
    const found = { frozen: frozen.map(() => 0), others: 0 };
    for (const [place, line] of nginx.faults().entries()) {
      if (!line.includes('timed out')) continue;
      const time = frozen.findIndex(({ from, to }) => place >= from && place < to);
      if (time >= 0 && line.includes(host)) found.frozen[time] = (found.frozen[time] ?? 0) + 1;
      else found.others += 1;
    }
    return found;
  }
  const timeoutsWhileFrozen = () => timeouts().frozen.at(-1) ?? 0;
  const slownesses = () => timeouts().others;

  /**
   * What a path answers; again where every replica that could was too slow for nginx, or is left alone because it
   * was until just now.
   */
  async function statusOf(path: string): Promise<number> {
    for (let tries = 1; ; tries += 1) {
      const { status } = await get(path);
      if (status !== 504 || slownesses() === 0 || tries === 50) return status;
    }
  }

  it('passes on what all replicas know while Postgres is away, and the 503 for what none can know', async () => {
    const { cluster } = replicas;
    await cluster.kill();
    const asked: StandInInteraction[] = [];
    let refused = 0;
    const until = performance.now() + 5_000;
    const lane = async () => {
      for (let i = 0; performance.now() < until || i < 10; i++) {
        expect(await get(REPUTATION)).toMatchObject({ status: 200 });
        if (i % 10 === 0) {
          expect(await get(BADGES)).toMatchObject({ status: 200 });
          const { status, type } = await get(ACTIVITIES);
          expect([status, type?.split(';')[0]]).toEqual([503, 'application/problem+json']);
          refused += 1;
        }
        if (i % 10 === 5) asked.push(askStats());
        await sleep(100);
      }
    };
    await Promise.all([lane(), lane(), lane()]);
    expect(refused).toBeGreaterThan(2);
    expect(asked.length).toBeGreaterThan(2);
    await toldOnce(asked, 'Statistics', askStats);
    await cluster.start();
    await expect.poll(async () => (await get(ACTIVITIES)).status, LONG).toBe(200);
  });

  it("asks another replica for what one that alone has lost Postgres doesn't know", async () => {
    database.leadTo(await freePort());
    const ready = async () => (await fetch(`${replicas.urlOf(0)}/readyz`)).status;
    await expect.poll(ready, LONG).toBe(503);
    expect(await statusesOf(ACTIVITIES, 12)).toEqual([200]);
    const askActivities = () => replicas.discord.command('activity', { wallet: WALLET });
    // One after the other: on a busy machine a burst would wait too long for the database.
    for (let i = 0; i < 6; i++) {
      await toldOnce([askActivities()], '+7', askActivities);
    }
    database.leadTo(replicas.cluster.port);
    await expect.poll(ready, LONG).toBe(200);
  });

  it('notices a frozen replica within seconds, and avoids it', async () => {
    freeze();
    try {
      const asked: StandInInteraction[] = [];
      const since = performance.now();
      while (timeoutsWhileFrozen() === 0 && performance.now() - since < 25_000) {
        asked.push(askStats());
        expect(await statusOf(REPUTATION)).toBe(200);
        // Without a pause there would be thousands while one of them waits for the frozen replica.
        await sleep(50);
      }
      expect(timeoutsWhileFrozen()).toBeGreaterThan(0);
      expect(await statusesOf(REPUTATION, 60)).toEqual([200]);
      await toldOnce(asked, 'Statistics', askStats);
      // One per request tried before the failure was noticed, then one every ten seconds.
      const seconds = (performance.now() - since) / 1000;
      expect(timeoutsWhileFrozen()).toBeLessThanOrEqual(2 + asked.length + seconds / 10);
      const later = Array.from({ length: 6 }, askStats);
      await toldOnce(later, 'Statistics', askStats);
      thaw();
      await expect.poll(async () => (await fetch(`${replicas.urlOf(1)}/readyz`)).status).toBe(200);
      // It finds what was delivered meanwhile, and that other replicas have answered it.
      await sleep(1_500);
      await toldOnce([...asked, ...later], '', askStats);
    } finally {
      thaw();
    }
  });

  it('asks another for badges and activities that a frozen replica holds back', async () => {
    freeze();
    try {
      // Nginx leaves it alone for ten seconds after the previous test, then tries it again.
      const until = performance.now() + 50_000;
      for (let i = 0; timeoutsWhileFrozen() === 0; i++) {
        expect(performance.now(), 'nginx has not asked the frozen replica again').toBeLessThan(
          until,
        );
        const path = i % 2 === 0 ? BADGES : ACTIVITIES;
        expect(await statusOf(path)).toBe(200);
        await sleep(50);
      }
    } finally {
      thaw();
    }
    await expect.poll(async () => (await fetch(`${replicas.urlOf(1)}/readyz`)).status).toBe(200);
  });

  it('asks another instead of a killed replica', async () => {
    await replicas.kill(2);
    const asked = Array.from({ length: 6 }, askStats);
    expect(await statusesOf(REPUTATION, 60)).toEqual([200]);
    expect(await statusesOf(BADGES, 20)).toEqual([200]);
    await toldOnce(asked, 'Statistics', askStats);
  });
});

describe.skipIf(missingNginx !== undefined)(missingNginx ?? 'a caller behind that nginx', () => {
  /** @param from the connection's address @param forwardedFor the client's header */
  function ask(port: number, from: string, forwardedFor?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
      const asked = request(
        { host: '127.0.0.1', port, localAddress: from, path: '/v1/stats/global', headers },
        (response) => {
          response.resume();
          const left = `${response.headers['x-ratelimit-remaining']}`;
          response.once('end', () => resolve(`${response.statusCode}: ${left} left`));
        },
      );
      asked.once('error', reject).end();
    });
  }

  it("counts by the IP address that the host's proxy saw, whatever the client says", async () => {
    const service = await startService({ TRUST_PROXY: '127.0.0.1/32', RATE_LIMIT_PUBLIC: '10' });
    onTestFinished(async () => void (await service.stop()));
    const { port, remove } = await startNginx([service.url]);
    onTestFinished(remove);
    // Here 127.0.0.1 takes the place of Docker's gateway, from which the host's proxy connects.
    const [proxy, stranger] = ['127.0.0.1', '127.0.0.2'];
    const [alice, bob] = ['203.0.113.1', '203.0.113.2'];
    expect(await ask(port, proxy, alice)).toBe('200: 9 left');
    expect(await ask(port, proxy, alice)).toBe('200: 8 left');
    expect(await ask(port, proxy, bob)).toBe('200: 9 left');
    // The proxy appends the address it saw to the client's header.
    expect(await ask(port, proxy, `${bob}, ${alice}`)).toBe('200: 7 left');
    expect(await ask(port, proxy, `198.51.100.7, 127.0.0.1, ${alice}`)).toBe('200: 6 left');
    // Other clients can't choose their address.
    expect(await ask(port, stranger, alice)).toBe('200: 9 left');
    expect(await ask(port, stranger, `${bob}, 127.0.0.1`)).toBe('200: 8 left');
    expect(await ask(port, stranger)).toBe('200: 7 left');
    expect(await ask(port, proxy, alice)).toBe('200: 5 left');
  });

  it('may check by HTTP/1.0, which names no host', async () => {
    const service = await startService();
    onTestFinished(async () => void (await service.stop()));
    const { port, remove } = await startNginx([service.url]);
    onTestFinished(remove);
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /livez HTTP/1.0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe.skipIf(missingNginx !== undefined)(missingNginx ?? 'a stream behind that nginx', () => {
  it('comes at once, and outlasts a silence that is longer than between two heartbeats', async () => {
    const service = await startService();
    onTestFinished(async () => void (await service.stop()));
    const nginx = await startNginx([service.url]);
    onTestFinished(() => nginx.remove());
    const headers = { accept: 'text/event-stream' };
    const response = await fetch(`${nginx.url}/v1/changes`, { headers });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    expect(new TextDecoder().decode(first.value)).toContain('id: ');
    service.child.kill('SIGSTOP');
    await sleep(17_000);
    service.child.kill('SIGCONT');
    const next = await reader.read();
    expect(new TextDecoder().decode(next.value)).toContain(':\n\n');
    expect(nginx.faults()).toEqual([]);
    await reader.cancel();
  });
});
