import type { Redis } from 'ioredis';
import type { Config } from '#app';
import { type CheckFinding, fail, messageOf, ok, warn } from '#base';
import { size } from '#cli/size';
import { checkTransport } from './transport.ts';

const PATIENCE_MS = 2_000;
const LEAST_VERSION = [6, 2] as const;
const PINGS = 5;
/** Requests wait for Redis, so its latency should be well below theirs. */
const SLOW_MS = 10;
/** Share of maxmemory above which we warn. */
const MOST_USED = 0.9;

/** Whether replicas can share rate limits and caches. */
export async function checkRedis({ redisUrl }: Config): Promise<CheckFinding[]> {
  if (redisUrl === undefined) return [];
  // Loaded here so that a check without Redis starts without its client.
  const { Redis } = await import('ioredis');
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let cause: unknown;
  redis.on('error', (error) => {
    cause ??= error;
  });
  try {
    await redis.connect();
    const facts = factsOf(await redis.info());
    const milliseconds = await latencyOf(redis);
    return [
      checkServer(facts),
      checkMemory(facts),
      checkLatency(milliseconds),
      checkTransport('redis connection', redis.stream, 'Use a rediss: address.'),
    ];
  } catch (error) {
    // The first error names the cause; later ones only say that the connection failed.
    return [fail('redis', refusal(messageOf(cause ?? error), redisUrl))];
  } finally {
    redis.disconnect();
  }
}

function refusal(message: string, url: string): string {
  const place = URL.parse(url)?.host ?? '';
  const advice = /NOAUTH|WRONGPASS|NOPERM|invalid password/i.test(message)
    ? 'REDIS_URL needs a valid user and password, with permission for INFO and scripts.'
    : 'Check REDIS_URL, and that Redis is running.';
  const words = message.split('\n')[0] ?? '';
  return `${place} can't be used (${words}). ${advice} Until then, each replica counts requests on its own.`;
}

/** Fields of INFO: https://redis.io/docs/latest/commands/info/ */
type Facts = ReadonlyMap<string, string>;

function factsOf(info: string): Facts {
  const lines = info.split('\r\n').map((line) => line.split(':', 2) as [string, string?]);
  return new Map(lines.map(([name, value = '']) => [name, value]));
}

function checkServer(facts: Facts): CheckFinding {
  const version = facts.get('redis_version') ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_VERSION;
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    return fail(
      'redis',
      `version ${version}; ${LEAST_VERSION.join('.')} or newer is needed. Update it.`,
    );
  }
  if (facts.get('redis_mode') === 'cluster') {
    return fail('redis', 'is a cluster. Use a single server in REDIS_URL.');
  }
  if (facts.get('role') !== 'master') {
    return fail('redis', 'is a read-only replica. Use its primary.');
  }
  return ok('redis', `version ${version} is reachable`);
}

function checkMemory(facts: Facts): CheckFinding {
  const subject = 'redis memory';
  const most = Number(facts.get('maxmemory') ?? 0);
  const used = Number(facts.get('used_memory') ?? 0);
  const policy = facts.get('maxmemory_policy') ?? 'noeviction';
  if (most === 0) return ok(subject, `${size(used)} in use, no limit set`);
  const text = `${size(used)} of ${size(most)} in use, ${policy}`;
  if (policy !== 'noeviction' || used < most * MOST_USED) return ok(subject, text);
  return warn(
    subject,
    `${text}: once full, it rejects writes and each replica counts requests on its own. Set maxmemory-policy to allkeys-lru, or raise maxmemory.`,
  );
}

function checkLatency(milliseconds: number): CheckFinding {
  const subject = 'redis latency';
  const text = `${milliseconds.toFixed(1)} ms per command`;
  if (milliseconds < SLOW_MS) return ok(subject, text);
  return warn(subject, `${text}, added to every request. Move Redis closer.`);
}

/** The median of several pings. */
async function latencyOf(redis: Redis): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < PINGS; i++) {
    const started = performance.now();
    await redis.ping();
    taken.push(performance.now() - started);
  }
  return taken.sort((a, b) => a - b)[Math.floor(PINGS / 2)] ?? 0;
}
