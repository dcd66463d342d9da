import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { withRetry } from '#base/retry';
import { freePort } from '../bench/servers/free-port.ts';
import { type Cluster, startCluster } from '../bench/servers/postgres/cluster.ts';
import { NO_ENV_FILE, PROGRAM, SAME_CLOCK } from './support/program.ts';
import { startTcpProxy } from './support/tcp-proxy.ts';

/** Startup while the database is unavailable. */

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

interface Starting {
  readonly child: ChildProcess;
  /** Waits until it has printed this. */
  says(text: string): Promise<void>;
}

function start(databaseUrl: string): Starting {
  const child = spawn(process.execPath, [...PROGRAM, 'serve'], {
    env: {
      ...SAME_CLOCK,
      PATH: process.env.PATH,
      PORT: '0',
      METRICS_PORT: '0',
      ...NO_ENV_FILE,
      DATABASE_URL: databaseUrl,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  return { child, says: (text) => expect.poll(() => output).toContain(text) };
}

/** A database URL that nothing listens on yet. */
async function nowhere(): Promise<URL> {
  const url = new URL(await cluster.createDatabase());
  url.port = String(await freePort());
  return url;
}

it('The service waits for a database that is down, says so, and continues once it is up', async () => {
  const url = await nowhere();
  const { child, says } = start(url.href);
  await says('waiting up to 60 s for the database');
  expect(child.exitCode).toBeNull();
  const proxy = await startTcpProxy(cluster.port, Number(url.port));
  onTestFinished(() => proxy.close());
  await says('Fathom answers at');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it.each(['refuses', 'says nothing'])(
  'The service ends immediately on SIGTERM during a start whose database %s',
  async (what) => {
    const url = await nowhere();
    let isAsked = Promise.resolve();
    if (what === 'says nothing') {
      const silent = createServer();
      silent.listen(Number(url.port), '127.0.0.1');
      isAsked = once(silent, 'connection').then(() => undefined);
      onTestFinished(() => void silent.close());
    }
    const { child, says } = start(url.href);
    await (what === 'refuses' ? says('waiting up to') : isAsked);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await says('shut down during startup');
  },
);

it('The service limits the wait, and does not wait for what is misconfigured', async () => {
  let now = 0;
  let tries = 0;
  const retry = {
    deadlineMs: 60_000,
    monotonicMs: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const away = () => {
    tries += 1;
    throw new RetryableError('It does not answer.');
  };
  await expect(withRetry(away, retry)).rejects.toThrow('It does not answer. Given up after 60 s.');
  expect(now).toBeLessThanOrEqual(60_000);
  expect(tries).toBeGreaterThan(5);
  const wrong = () => {
    tries = 0;
    throw new UserError('wrong-configuration', 'The password is wrong.');
  };
  await expect(withRetry(wrong, retry)).rejects.toThrow(UserError);
  expect(tries).toBe(0);
});
