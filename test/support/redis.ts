import { spawnSync } from 'node:child_process';
import { Redis } from 'ioredis';
import { freePort } from '../../bench/servers/free-port.ts';
import { ServerProcess, systemEnv } from './server-process.ts';

/** Why tests that need a real Redis can't run here; undefined if they can. */
export const missingRedis =
  spawnSync('redis-server', ['--version'], { env: systemEnv() }).status === 0
    ? undefined
    : 'redis-server is missing: apt install redis-server';

/** A test's own in-memory Redis, with everything that can happen to one. */
export interface RedisServer {
  readonly url: string;
  /** kill -9: everything in it is lost; `start` brings it back empty. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Keeps its connections, but responds to nothing. */
  freeze(): void;
  thaw(): void;
  /** Runs a command in it, as an operator would. */
  command(name: string, ...args: string[]): Promise<unknown>;
  remove(): Promise<void>;
}

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const address = ['--port', String(port), '--bind', '127.0.0.1'];
  const server = new ServerProcess('redis-server', [
    ...address,
    ...['--appendonly', 'no', '--save', ''],
  ]);
  const start = () =>
    server.start(async () => (await command('ping').catch(() => undefined)) !== undefined);

  async function command(name: string, ...args: string[]): Promise<unknown> {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  }

  const kill = () => server.kill();

  await start();
  return {
    url,
    kill,
    start,
    freeze: () => server.tell('SIGSTOP'),
    thaw: () => server.tell('SIGCONT'),
    command,
    remove: kill,
  };
}
