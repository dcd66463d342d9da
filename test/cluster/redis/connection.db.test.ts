import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { freePort } from '../../../bench/servers/free-port.ts';
import { patienceMs } from '../../support/patience.ts';
import { missingRedis, type RedisServer, startRedis } from '../../support/redis.ts';
import { away, openConnection, up } from '../../support/redis-shared-state.ts';
import { systemEnv } from '../../support/server-process.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

const ECHO = 'return ARGV[1]';

it('A connection to Redis does not delay the start if Redis is down, and fails every command immediately', async () => {
  const { connection, log } = await openConnection(`redis://127.0.0.1:${await freePort()}`);
  expect(connection.status().ok).toBe(false);
  await expect(connection.run((redis) => redis.ping())).rejects.toThrow(RetryableError);
  expect(log.lines.filter((line) => line.level === 'warn')).toHaveLength(1);
});

it('A connection to Redis reports an invalid URL without its contents', async () => {
  const opened = openConnection('redis://:pa%zzword@127.0.0.1:1');
  await expect(opened).rejects.toThrow(UserError);
  const error = await opened.catch((thrown: unknown) => thrown as Error);
  expect(`${error}${JSON.stringify(error)}`).not.toContain('zzword');
});

describe.skipIf(missingRedis !== undefined)(missingRedis ?? 'a connection to a real Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());

  it('reports once that Redis is down and once that it is back', async () => {
    const { connection, log } = await openConnection(redis.url, 20_000);
    await up(connection);
    const told = () => log.lines.filter((line) => line.level !== 'debug').map((line) => line.level);
    const before = told().length;
    await redis.kill();
    await away(connection);
    for (let i = 0; i < 20; i += 1) {
      await expect(connection.run((client) => client.ping())).rejects.toThrow(RetryableError);
    }
    await redis.start();
    await up(connection);
    expect(told().slice(before)).toEqual(['warn', 'info']);
    const echo = connection.script(ECHO);
    expect(await connection.run(() => echo([], ['again']))).toBe('again');
  });

  it('lets three commands wait for a Redis that hangs, and none after them', async () => {
    const { connection, log } = await openConnection(redis.url, 300);
    await up(connection);
    const asked: string[] = [];
    const ask = (name: string) =>
      connection.run((client) => {
        asked.push(name);
        return client.ping();
      });
    redis.freeze();
    try {
      // Concurrent timeouts count once.
      await Promise.allSettled(['first', 'first', 'first', 'first'].map(ask));
      expect(connection.isUp).toBe(true);
      await expect(ask('second')).rejects.toThrow(RetryableError);
      await expect(ask('third')).rejects.toThrow(RetryableError);
      expect(connection.isUp).toBe(false);
      expect(log.lines).toContainEqual(
        expect.objectContaining({ fields: { reason: 'no reply within 300 ms' } }),
      );
      for (let i = 0; i < 100; i += 1) await expect(ask('later')).rejects.toThrow(RetryableError);
      expect(asked).not.toContain('later');
    } finally {
      redis.thaw();
    }
    await up(connection);
    await vi.waitFor(async () => expect(await ask('after')).toBe('PONG'), {
      timeout: patienceMs(),
    });
  });

  it('does not wait for a single slow reply, reports it when it arrives, and loses nothing', async () => {
    const proxy = await startTcpProxy(Number(new URL(redis.url).port));
    onTestFinished(() => proxy.close());
    const { connection, log } = await openConnection(`redis://127.0.0.1:${proxy.port}`, 1_000);
    await up(connection);
    const late = Promise.withResolvers<string>();
    proxy.holdAnswers();
    const before = connection.unanswered;
    const given = connection.run((client) => client.ping(), late.resolve);
    await expect(given).rejects.toThrow(RetryableError);
    expect(connection.unanswered).toBeGreaterThan(before);
    expect(connection.isUp).toBe(true);
    proxy.letAnswersGo();
    expect(await late.promise).toBe('PONG');
    expect(connection.isUp).toBe(true);
    expect(log.lines).toEqual([]);
  });

  it('does not miss a reply that arrived while this process was busy', async () => {
    const { connection } = await openConnection(redis.url, 20);
    await up(connection);
    // Whether it connects within 20 ms isn't ours to say.
    const asked = vi.waitUntil(
      () => {
        if (!connection.isUp) return false;
        const answer = connection.run((client) => client.ping());
        // Once the second one's response is here, Redis has answered both; this process has read neither.
        execFileSync('redis-cli', ['-u', redis.url, 'ping'], { env: systemEnv() });
        for (const end = performance.now() + 50; performance.now() < end; ) Math.sqrt(end);
        return [answer];
      },
      { timeout: patienceMs() },
    );
    expect(await (await asked)[0]).toBe('PONG');
  });

  it('finds a Redis again that hangs longer than a connection is kept', async () => {
    const { connection } = await openConnection(redis.url);
    await up(connection);
    redis.freeze();
    try {
      await away(connection);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(connection.isUp).toBe(false);
    } finally {
      redis.thaw();
    }
    await up(connection);
  });

  it('fails waiting commands when it is closed, and ends although Redis hangs', async () => {
    const { connection } = await openConnection(redis.url, 20_000);
    await up(connection);
    redis.freeze();
    try {
      const waiting = connection.run((client) => client.ping());
      connection.close();
      await expect(waiting).rejects.toThrow(RetryableError);
    } finally {
      redis.thaw();
    }
    connection.close();
    await expect(connection.run((client) => client.ping())).rejects.toThrow(RetryableError);
    expect(connection.status().ok).toBe(false);
  });

  it('reloads scripts after Redis has lost them', async () => {
    const { connection } = await openConnection(redis.url, 20_000);
    const echo = connection.script(ECHO);
    expect(await connection.run(() => echo([], ['one']))).toBe('one');
    await redis.command('script', 'flush');
    expect(await connection.run(() => echo([], ['two']))).toBe('two');
  });

  it('treats a read-only Redis as unavailable', async () => {
    const { connection } = await openConnection(redis.url);
    await up(connection);
    await redis.command('replicaof', '127.0.0.1', '1');
    try {
      await away(connection);
      // It's no matter of the network, where whoever reads this would look.
      expect(connection.status().detail).not.toContain('unreachable');
    } finally {
      await redis.command('replicaof', 'no', 'one');
    }
    await up(connection);
  });
});

describe.skipIf(missingRedis !== undefined)(missingRedis ?? 'a Redis with a password', () => {
  const PASSWORD = 'gr8 p@ss/word';
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
    await redis.command('config', 'set', 'requirepass', PASSWORD);
  });
  afterAll(() => redis.remove());

  const withPassword = (password: string) =>
    redis.url.replace('//', `//:${encodeURIComponent(password)}@`);

  it('connects with valid credentials', async () => {
    const { connection } = await openConnection(withPassword(PASSWORD));
    await up(connection);
  });

  it.each(['', 'wr0ng p@ss/word'])('refuses "%s", and logs no part of it', async (password) => {
    const { connection, log } = await openConnection(withPassword(password), 20_000);
    expect(connection.status().ok).toBe(false);
    const refused = connection.run((client) => client.ping());
    await expect(refused).rejects.toThrow(RetryableError);
    const said = JSON.stringify([log.lines, await refused.catch((error) => String(error))]);
    expect(said).toMatch(/WRONGPASS|NOAUTH/);
    for (const text of [password, encodeURIComponent(password)]) {
      if (text !== '') expect(said).not.toContain(text);
    }
  });
});
