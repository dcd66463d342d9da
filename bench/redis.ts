import { Redis } from 'ioredis';
import { addressOf, canonicalOf, chainOf } from './addresses.ts';
import type { Shape } from './data.ts';
import { CORES, canRun, freePort, lastWords, pause, start, stop, within } from './process.ts';
import { say, tell } from './progress.ts';
import { badgesOf, totalsOf } from './tally.ts';

/** The peer's Redis, with the same wallets. */

export const missingRedis = canRun('redis-server', ['--version'])
  ? undefined
  : 'redis-server is missing: apt install redis-server';

const GROUP = 5000;

/** Starts the bench's own Redis, in memory only, on the servers' core, and fills it. */
export async function startRedis(shape: Shape, cwd: string): Promise<RunningRedis> {
  return await startRedisServer(cwd, (client) => fill(client, shape));
}

export interface RunningRedis {
  readonly port: number;
  stop(): Promise<void>;
}

/** @param prepare fills it */
export async function startRedisServer(
  cwd: string,
  prepare: (client: Redis) => Promise<void> = async () => {},
): Promise<RunningRedis> {
  const port = await freePort();
  const child = start({
    program: 'redis-server',
    args: `--port ${port} --bind 127.0.0.1 --appendonly no --save`.split(' ').concat(''),
    cores: CORES.server,
    cwd,
  });
  const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => 50 });
  // It takes a moment to start; requests wait until it's up, or until the deadline.
  client.on('error', () => {});
  try {
    await within(client.ping(), 20, 'starting Redis').catch((cause: unknown) => {
      throw new Error(`Redis did not start: ${lastWords(child)}`, { cause });
    });
    await within(prepare(client), 600, 'filling Redis');
  } catch (error) {
    await stop(child);
    throw error;
  } finally {
    client.disconnect();
  }
  return { port, stop: () => stop(child) };
}

async function fill(client: Redis, shape: Shape): Promise<void> {
  say(`filling Redis with ${shape.wallets.toLocaleString('en')} wallets`);
  const totals = totalsOf(shape, () => {});
  await pause(0);
  for (let from = 0; from < shape.wallets; from += GROUP) {
    const scores: (string | number)[] = [];
    const records: string[] = [];
    for (let wallet = from; wallet < Math.min(from + GROUP, shape.wallets); wallet += 1) {
      const key = addressOf(wallet);
      scores.push(totals.scores[wallet]!, key);
      const record = {
        address: canonicalOf(wallet),
        chain: chainOf(wallet),
        badges: badgesOf(totals.badges[wallet]!).map(({ name }) => name),
        lastUpdated: '2025-12-15T14:30:00Z',
      };
      records.push(`wallet:${key}`, JSON.stringify(record));
    }
    await client.zadd('scores', ...scores);
    await client.mset(...records);
    tell('wallets in Redis', from, shape.wallets);
  }
}
