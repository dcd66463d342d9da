import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';

/** Why tests that need a real Redis can't run here; undefined when they can. */
export const missingRedis =
  spawnSync('redis-server', ['--version']).status === 0
    ? undefined
    : 'redis-server is missing: apt install redis-server';

/** A real Redis of a test's own, in memory alone, with all that can happen to one. */
export interface RedisServer {
  readonly url: string;
  /** kill -9: everything that was in it is gone; `start` brings it back empty. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** It goes on holding its connections, and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Runs one command in it, as an operator would. */
  command(name: string, ...args: string[]): Promise<unknown>;
  remove(): Promise<void>;
}

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const started = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--appendonly', 'no', '--save', ''],
      { stdio: 'ignore' },
    );
    child = started;
    // Whatever becomes of the tests, no server outlives them.
    process.once('exit', () => started.kill('SIGKILL'));
    for (const until = Date.now() + 10_000; ; await sleep(20)) {
      if (await command('ping').catch(() => undefined)) return;
      if (started.exitCode !== null || Date.now() > until) throw new Error('Redis did not start');
    }
  }

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

  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  await start();
  return {
    url,
    kill,
    start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    command,
    remove: kill,
  };
}
