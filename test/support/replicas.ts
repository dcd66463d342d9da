import { once } from 'node:events';
import { vi } from 'vitest';
import { DiscordStandIn } from '../../bench/servers/discord/stand-in.ts';
import { freePort } from '../../bench/servers/free-port.ts';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { TelegramStandIn } from '../../bench/servers/telegram/stand-in.ts';
import { finished, startCli } from './import-cli.ts';
import { patienceMs } from './patience.ts';
import { createMigratedDatabase } from './postgres/migrated.ts';
import { missingRedis, type RedisServer, startRedis } from './redis.ts';
import { type RoundRobin, startRoundRobin } from './round-robin.ts';
import { type Service, startService } from './service.ts';

const SECRET = 'a-secret-of-telegram-deliveries';

interface Replica extends Service {
  readonly metricsUrl: string;
}

/** Replicas as separate processes behind a load balancer, with everything they share. */
export class Replicas {
  readonly cluster: Cluster;
  readonly redis: RedisServer | undefined;
  readonly discord: DiscordStandIn;
  readonly telegram: TelegramStandIn;
  readonly balancer: RoundRobin;
  readonly #env: Record<string, string>;
  readonly #running: (Replica | undefined)[] = [];

  private constructor(
    parts: Pick<Replicas, 'cluster' | 'redis' | 'discord' | 'telegram' | 'balancer'>,
    env: Record<string, string>,
  ) {
    this.cluster = parts.cluster;
    this.redis = parts.redis;
    this.discord = parts.discord;
    this.telegram = parts.telegram;
    this.balancer = parts.balancer;
    this.#env = env;
  }

  /** @param env of each replica, in addition to what they share */
  static async open(env: Record<string, string>): Promise<Replicas> {
    const cluster = await startCluster();
    const redis = missingRedis === undefined ? await startRedis() : undefined;
    const discord = new DiscordStandIn();
    await discord.open();
    const { delivery, rest } = discord;
    rest.application = { ...rest.application, verify_key: delivery.publicKey };
    const telegram = await TelegramStandIn.open();
    const balancer = await startRoundRobin();
    delivery.urls = [`${balancer.url}/discord/interactions`];
    telegram.webhook.deliver = async (update, secret) => {
      const response = await fetch(`${balancer.url}/telegram/webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
        body: JSON.stringify(update),
      });
      await response.arrayBuffer();
      return response.status;
    };
    return new Replicas(
      { cluster, redis, discord, telegram, balancer },
      {
        DATABASE_URL: await createMigratedDatabase(cluster),
        ...(redis && { REDIS_URL: redis.url }),
        PUBLIC_URL: 'https://rep.example.org',
        TRUST_PROXY: '127.0.0.0/8',
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        DISCORD_MODE: 'http',
        DISCORD_PUBLIC_KEY: delivery.publicKey,
        TELEGRAM_TOKEN: telegram.token,
        TELEGRAM_API_URL: telegram.apiUrl,
        TELEGRAM_MODE: 'webhook',
        TELEGRAM_WEBHOOK_SECRET: SECRET,
        ...env,
      },
    );
  }

  get databaseUrl(): string {
    return this.#env.DATABASE_URL ?? '';
  }

  /** Those of running replicas. */
  get urls(): readonly string[] {
    return this.#running.flatMap((service) => (service === undefined ? [] : [service.url]));
  }

  /** Requests of running replicas to Redis that got no response. */
  async redisUnanswered(): Promise<number> {
    const running = this.#running.filter((each) => each !== undefined);
    const counts = await Promise.all(running.map(redisUnansweredOf));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Runs a CLI command on the same database. @returns what it printed */
  async command(args: readonly string[], input = ''): Promise<string> {
    const child = startCli(args, { cwd: '/', env: { DATABASE_URL: this.databaseUrl } });
    child.stdin?.end(input);
    const { code, stdout, stderr } = await finished(child);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** The replica with this number. */
  urlOf(number: number): string {
    return this.#serviceOf(number).url;
  }

  /**
   * Starts the replica with this number and waits until it serves everything.
   * @param env of this one, in addition to what they share
   */
  async start(number: number, env: Record<string, string> = {}): Promise<void> {
    const metricsPort = await freePort();
    const ports = { METRICS_PORT: String(metricsPort) };
    const service = await startService({ ...this.#env, ...ports, ...env });
    this.#running[number] = { ...service, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
    await vi.waitFor(
      async () => {
        const response = await fetch(`${service.url}/readyz`);
        const { checks } = (await response.json()) as { checks: Record<string, { ok: boolean }> };
        const isUp = Object.values(checks).every(({ ok }) => ok);
        if (!isUp || checks.telegram === undefined) throw new Error(JSON.stringify(checks));
      },
      { timeout: patienceMs(), interval: 100 },
    );
    this.balancer.use(this.urls);
  }

  /** Keeps its connections, but responds to nothing. */
  freeze(number: number): void {
    this.#serviceOf(number).child.kill('SIGSTOP');
  }

  thaw(number: number): void {
    this.#serviceOf(number).child.kill('SIGCONT');
  }

  /** kill -9. The balancer isn't told. */
  async kill(number: number): Promise<void> {
    const service = this.#serviceOf(number);
    const ended = once(service.child, 'exit');
    service.child.kill('SIGKILL');
    await ended;
    this.#running[number] = undefined;
  }

  #serviceOf(number: number): Replica {
    const service = this.#running[number];
    if (service === undefined) throw new Error(`replica ${number} is not running`);
    return service;
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.map((service) => service?.stop()));
    await this.balancer.close();
    await this.discord.close();
    await this.telegram.close();
    await this.redis?.remove();
    await this.cluster.remove();
  }
}

async function redisUnansweredOf({ metricsUrl }: Replica): Promise<number> {
  const figures = await (await fetch(metricsUrl)).text();
  const found = /^fathom_redis_unanswered_total (\d+)$/m.exec(figures);
  if (found === null) throw new Error(`no fathom_redis_unanswered_total in ${figures}`);
  return Number(found[1]);
}
