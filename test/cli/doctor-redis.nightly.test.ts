import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DiscordStandIn } from '../../bench/servers/discord/stand-in.ts';
import { runHere } from '../support/import-cli.ts';
import { missingRedis, type RedisServer, startRedis } from '../support/redis.ts';

async function examine(changes: Record<string, string>) {
  const env = { PORT: '0', METRICS_PORT: '0', ...changes };
  const { code, stdout, stderr } = await runHere(['doctor'], env);
  expect(stderr).toBe('');
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  const found = Object.fromEntries(lines.map(([level, subject, text]) => [subject, [level, text]]));
  return { code, found, stdout };
}

describe.skipIf(missingRedis !== undefined)('fathom doctor with Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());
  beforeEach(async () => {
    await redis.command('config', 'set', 'maxmemory', '0');
    await redis.command('config', 'set', 'maxmemory-policy', 'noeviction');
  });

  it('reports that all is well', async () => {
    const { code, found } = await examine({ REDIS_URL: redis.url });
    expect(code).toBe(0);
    expect(found).toMatchObject({
      redis: ['ok', expect.stringMatching(/^version \d+\.\d+\S* is reachable$/)],
      'redis memory': ['ok', expect.stringContaining('no limit set')],
      'redis latency': [expect.any(String), expect.stringMatching(/^\d+\.\d ms per command/)],
      'redis connection': ['ok', expect.stringContaining('on this machine')],
    });
  });

  it.each([
    ['noeviction', 'warn', 'rejects writes'],
    ['allkeys-lru', 'ok', 'allkeys-lru'],
    ['volatile-ttl', 'ok', 'volatile-ttl'],
  ])('checks for nearly full memory with %s', async (policy, level, words) => {
    await redis.command('config', 'set', 'maxmemory-policy', policy);
    const info = String(await redis.command('info', 'memory'));
    const used = Number(/used_memory:(\d+)/.exec(info)?.[1]);
    await redis.command('config', 'set', 'maxmemory', String(used + 50_000));
    const { code, found } = await examine({ REDIS_URL: redis.url });
    expect(code).toBe(0);
    expect(found['redis memory']).toEqual([level, expect.stringContaining(words)]);
  });

  it('fails for a read-only replica', async () => {
    const copy = await startRedis();
    onTestFinished(() => copy.remove());
    await copy.command('replicaof', '127.0.0.1', new URL(redis.url).port);
    const { code, found } = await examine({ REDIS_URL: copy.url });
    expect(code).toBe(1);
    expect(found.redis).toEqual(['fail', expect.stringContaining('read-only replica')]);
  });

  it('fails for a wrong or missing password, and shows neither', async () => {
    const locked = await startRedis();
    onTestFinished(() => locked.remove());
    await locked.command('config', 'set', 'requirepass', 'right-word');
    const url = (password: string) => locked.url.replace('//', `//${password}`);
    for (const login of ['', ':wrong-word@', 'someone:wrong-word@']) {
      const { code, found, stdout } = await examine({ REDIS_URL: url(login) });
      expect(code, login).toBe(1);
      expect(found.redis, login).toEqual(['fail', expect.stringContaining('user and password')]);
      expect(stdout).not.toContain('wrong-word');
    }
    expect((await examine({ REDIS_URL: url(':right-word@') })).found.redis?.[0]).toBe('ok');
  });

  it('fails for a server that does not respond, within seconds', async () => {
    const frozen = await startRedis();
    onTestFinished(() => frozen.remove());
    frozen.freeze();
    const { code, found } = await examine({ REDIS_URL: frozen.url });
    expect(code).toBe(1);
    expect(found.redis).toEqual(['fail', expect.stringContaining('Check REDIS_URL')]);
  });
});

describe('fathom doctor', () => {
  it('fails for an unreachable Redis, without showing its password', async () => {
    const { code, found, stdout } = await examine({
      REDIS_URL: 'redis://me:pass-word@127.0.0.1:1',
    });
    expect(code).toBe(1);
    expect(found.redis).toEqual(['fail', expect.stringContaining("127.0.0.1:1 can't be used")]);
    expect(stdout).not.toContain('pass-word');
  });

  const discord = new DiscordStandIn();
  beforeAll(() => discord.open());
  afterAll(() => discord.close());
  const env = () => ({
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_MODE: 'http',
    // The key of the stand-in's application.
    DISCORD_PUBLIC_KEY: '0'.repeat(64),
  });

  it.each([
    ['', 'fail', 'needs PUBLIC_URL'],
    ['http://rep.example.org', 'fail', 'needs PUBLIC_URL'],
    ['https://rep.example.org', 'ok', 'https://rep.example.org/discord/interactions'],
  ])('says whether Discord can deliver to “%s”', async (url, level, words) => {
    const { code, found } = await examine({ ...env(), PUBLIC_URL: url });
    expect(code).toBe(level === 'ok' ? 0 : 1);
    expect(found.discord).toEqual([level, expect.stringContaining(words)]);
  });

  it('warns of an intent that has no effect over HTTP', async () => {
    const changes = { PUBLIC_URL: 'https://rep.example.org', DISCORD_MEMBERS_INTENT: 'true' };
    const { code, found } = await examine({ ...env(), ...changes });
    expect(code).toBe(0);
    expect(found['members intent']).toEqual(['warn', expect.stringContaining('no effect')]);
  });
});
