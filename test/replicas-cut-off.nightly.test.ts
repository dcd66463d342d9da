import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../bench/servers/free-port.ts';
import { textOf } from './support/discord/read.ts';
import { activityLine, addressOf, badgeLine } from './support/import-lines.ts';
import { patienceMs } from './support/patience.ts';
import { missingRedis } from './support/redis.ts';
import { Replicas } from './support/replicas.ts';
import { startTcpProxy, type TcpProxy } from './support/tcp-proxy.ts';

/** Three processes, each of which can lose the shared database while the others keep it. */

const NUMBERS = [0, 1, 2] as const;
const WALLET = addressOf('ethereum', 1);
const LONG = { timeout: patienceMs(120_000), interval: 100 };

describe.skipIf(missingRedis !== undefined)(missingRedis ?? 'replicas', () => {
  let replicas: Replicas;
  const proxies: TcpProxy[] = [];

  beforeAll(async () => {
    replicas = await Replicas.open({ RATE_LIMIT_PUBLIC: '1000000' });
    const lines = [
      badgeLine(0),
      activityLine('ethereum', 1, { points: 7, source: 'a' }),
      activityLine('ethereum', 1, { type: 'badge_earned', badge: 'badge-0', source: 'b' }),
    ];
    await replicas.command(['import', '-'], lines.map((line) => JSON.stringify(line)).join('\n'));
    for (const number of NUMBERS) {
      const proxy = await startTcpProxy(replicas.cluster.port);
      proxies.push(proxy);
      const url = new URL(replicas.databaseUrl);
      url.port = String(proxy.port);
      await replicas.start(number, { DATABASE_URL: url.href });
    }
  });
  afterAll(async () => {
    await replicas.close();
    for (const proxy of proxies) await proxy.close();
  });

  interface Ready {
    readonly status: number;
    readonly data: string;
  }

  async function readyOf(number: number): Promise<Ready> {
    const response = await fetch(`${replicas.urlOf(number)}/readyz`);
    const { checks } = (await response.json()) as { checks: { data: { detail: string } } };
    return { status: response.status, data: checks.data.detail };
  }
  const statuses = async () => (await Promise.all(NUMBERS.map(readyOf))).map((it) => it.status);

  async function reputation(number: number) {
    const response = await fetch(`${replicas.urlOf(number)}/v1/reputation/${WALLET}`);
    await response.arrayBuffer();
    return { status: response.status, says: response.headers.get('reputation-status') };
  }

  it('leaves the chats to the others while one replica alone has lost the database', async () => {
    proxies[0]?.leadTo(await freePort());
    await expect.poll(statuses, LONG).toEqual([503, 200, 200]);
    expect((await readyOf(0)).data).toContain('but other replicas can');
    // It serves what it knows, as always.
    expect(await reputation(0)).toEqual({ status: 200, says: 'stale' });

    // Updates delivered to it nevertheless are passed on to another.
    const { discord, telegram } = replicas;
    const interaction = discord.eventOf(discord.command('stats'));
    const signed = discord.delivery.sign(interaction);
    const refused = await discord.delivery.send(
      `${replicas.urlOf(0)}/discord/interactions`,
      signed,
    );
    expect(refused.status).toBe(503);

    // As a load balancer that checks /readyz does.
    replicas.balancer.use([1, 2].map((number) => replicas.urlOf(number)));
    // One after the other: on a busy machine a burst would wait too long for the database.
    for (let i = 0; i < 6; i++) {
      const asked = discord.command('badges', { wallet: WALLET });
      await expect.poll(() => asked.seen.map(textOf).join(), LONG).toContain('Badge 0');
      const person = telegram.world.person();
      telegram.says(person, `/badges ${WALLET}`);
      const texts = () => telegram.sentTo({ id: person.user.id }).map(({ text }) => text);
      await expect.poll(texts, LONG).toEqual([expect.stringContaining('Badge 0')]);
    }

    proxies[0]?.leadTo(replicas.cluster.port);
    await expect.poll(statuses, LONG).toEqual([200, 200, 200]);
  });

  it('keeps all replicas ready if all lose it, and marks their data as stale', async () => {
    await replicas.cluster.kill();
    const away = async () => (await Promise.all(NUMBERS.map(readyOf))).map(({ data }) => data);
    await expect.poll(away, LONG).toEqual(NUMBERS.map(() => "can't read the data; see the log"));
    const stale = async () => Promise.all(NUMBERS.map(reputation));
    const told = { status: 200, says: 'stale' };
    await expect.poll(stale, LONG).toEqual(NUMBERS.map(() => told));
    // Longer than an isolated replica needs to find out.
    const until = performance.now() + 12_000;
    while (performance.now() < until) {
      expect(await statuses()).toEqual([200, 200, 200]);
      expect(await stale()).toEqual(NUMBERS.map(() => told));
      await sleep(200);
    }
    await replicas.cluster.start();
    await expect.poll(away, LONG).toEqual(NUMBERS.map(() => 'up to date'));
    expect(await statuses()).toEqual([200, 200, 200]);
  });
});
