import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  agreedSettings,
  type Config,
  type Environment,
  loadConfig,
  variablesOf,
} from '#app/config';
import { UserError } from '#base/errors';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';

const TOKEN = '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';

/** The platforms that would be started. */
function running(env: Environment): string[] {
  const { platforms } = loadConfig(env);
  return platforms.flatMap(({ platform, start }) => (start === undefined ? [] : [platform.id]));
}

/** Without functions, so that two can be compared. */
function plain({ platforms, ...config }: Config) {
  return { ...config, settings: platforms.map(({ settings }) => settings) };
}

function settingsOf(env: Environment, id: string): unknown {
  return loadConfig(env).platforms.find(({ platform }) => platform.id === id)?.settings;
}

it('The configuration defaults to loopback, contract limits and an in-memory demo', () => {
  expect(running({})).toEqual([]);
  expect(loadConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    publicUrl: undefined,
    metricsHost: '127.0.0.1',
    metricsPort: 9464,
    trustProxy: [],
    logLevel: 'info',
    databaseUrl: 'sqlite::memory:',
    demo: true,
    thresholds: DEFAULT_THRESHOLDS,
    rateLimits: { public: 100, key: 1000 },
    upstream: undefined,
  } satisfies Partial<Config>);
});

it.each<[Environment, string[]]>([
  [{}, []],
  [{ DISCORD_TOKEN: TOKEN }, ['https://discord.com', 'wss://gateway.discord.gg']],
  [
    { DISCORD_TOKEN: TOKEN, DISCORD_MODE: 'http', DISCORD_PUBLIC_KEY: 'ab'.repeat(32) },
    ['https://discord.com'],
  ],
  [{ DISCORD_TOKEN: TOKEN, DISCORD_API_URL: 'http://127.0.0.1:1' }, ['http://127.0.0.1:1']],
  [{ TELEGRAM_TOKEN: TOKEN }, ['https://api.telegram.org']],
  [{ TELEGRAM_TOKEN: TOKEN, TELEGRAM_API_URL: 'http://127.0.0.1:1' }, ['http://127.0.0.1:1']],
])('The platforms of %j name the servers they connect to', (env, servers) => {
  expect(loadConfig(env).platforms.flatMap((platform) => platform.servers)).toEqual(servers);
});

it('The configuration treats an empty variable as unset', () => {
  const empty = { PORT: '', DATABASE_URL: ' ', TIERS: '', DISCORD_TOKEN: ' ' };
  expect(plain(loadConfig(empty))).toEqual(plain(loadConfig({})));
});

it.each<[string, string, Partial<Config>]>([
  ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
  ['HOST', '::1', { host: '::1' }],
  ['PORT', '0', { port: 0 }],
  ['PUBLIC_URL', 'https://rep.example.org/', { publicUrl: 'https://rep.example.org' }],
  ['CONTACT', 'ops+rep@example.org', { contact: 'mailto:ops+rep@example.org' }],
  ['CONTACT', 'mailto:ops@example.org', { contact: 'mailto:ops@example.org' }],
  ['CONTACT', 'https://example.org/security/', { contact: 'https://example.org/security' }],
  ['TRUST_PROXY', '10.0.0.0/8, fd00::/8', { trustProxy: ['10.0.0.0/8', 'fd00::/8'] }],
  ['PRIVATE_NETWORKS', '10.0.0.0/8', { privateNetworks: ['10.0.0.0/8'] }],
  ['DATABASE_URL', 'sqlite:./x.db', { databaseUrl: 'sqlite:./x.db', demo: false }],
  ['DATABASE_URL', 'postgres://u:p@db/f', { databaseUrl: 'postgres://u:p@db/f', demo: false }],
  [
    'WALLETCONNECT_PROJECT_ID',
    '0123456789abcdef0123456789abcdef',
    { walletConnectProjectId: '0123456789abcdef0123456789abcdef' },
  ],
  ['REDIS_URL', 'rediss://:secret@cache:6380', { redisUrl: 'rediss://:secret@cache:6380' }],
  [
    'UPSTREAM_URL',
    'https://rep.example.org/',
    { upstream: { url: 'https://rep.example.org/v1', apiKey: undefined }, demo: false },
  ],
  [
    'UPSTREAM_URL',
    'http://127.0.0.1:8080/base/v1',
    { upstream: { url: 'http://127.0.0.1:8080/base/v1', apiKey: undefined }, demo: false },
  ],
  [
    'TIERS',
    'dolphin=5,titan=90, whale=50,shark=20',
    { thresholds: { titan: 90, whale: 50, shark: 20, dolphin: 5 } },
  ],
  [
    'EXPLORERS',
    'solana=https://solscan.io/tx/{transaction}',
    { explorers: new Map([['solana', { transaction: 'https://solscan.io/tx/{transaction}' }]]) },
  ],
])('%s=%s is taken', (name, text, expected) => {
  expect(loadConfig({ [name]: text })).toMatchObject(expected);
});

it.each([
  ['DATABASE_URL', 'sqlite:./data/fathom.db,', '","'],
  ['DATABASE_URL', 'sqlite:./data/fathom.db\u200b', 'seen'],
  ['TELEGRAM_TOKEN', '\u2060110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', 'seen'],
  ['RULES', '"./rules.yaml', 'quote'],
  ['SNAPSHOT_API_KEY', '"abc"', 'quote'],
  ['SNAPSHOT_API_KEY', "abc'", '(\\)'],
  ['SNAPSHOT_API_KEY', 'abc,', '(\\)'],
  ['PORT', '8080;', '";"'],
  ['ETHEREUM_RPC_URL', 'https://a.example.org/1,https://b.example.org/2', 'one node'],
  ['SOLANA_RPC_URL', 'https://a.example.org/1 https://b.example.org/2', 'one node'],
  ['UPSTREAM_URL', 'https://a.example.org/v1 # theirs', 'server'],
])('%s=%s is refused by what is too much in it', (name, text, words) => {
  expect(() => loadConfig({ [name]: text })).toThrow(words);
});

it.each([
  [String.raw`key\"`, 'key"'],
  [String.raw`\'key\,`, "'key,"],
  [String.raw`key\\;`, String.raw`key\;`],
  [String.raw`k\e"y`, String.raw`k\e"y`],
])('SNAPSHOT_API_KEY=%s is the key %s, as a refusal says how to write one', (text, key) => {
  expect(loadConfig({ SNAPSHOT_API_KEY: text }).snapshotApiKey).toBe(key);
});

it('A list of hosts without a proxy may end with a comma', () => {
  expect(() => loadConfig({ NO_PROXY: 'localhost,', no_proxy: '127.0.0.1,' })).not.toThrow();
});

it.each([
  ['HOST', 'a b'],
  ['PORT', '65536'],
  ['PORT', '80a'],
  ['PORT', '-1'],
  ['METRICS_PORT', '1e3'],
  ['PUBLIC_URL', 'rep.example.org'],
  ['CONTACT', 'http://example.org'],
  ['CONTACT', 'Ops <ops@example.org>'],
  ['CONTACT', 'ops@example.org\nExpires: 1970-01-01T00:00:00Z'],
  ['PUBLIC_URL', 'ftp://rep.example.org'],
  ['PUBLIC_URL', 'https://user@rep.example.org'],
  ['HTTPS_PROXY', 'proxy.example:3128'],
  ['https_proxy', 'socks5://proxy.example'],
  ['HTTP_PROXY', 'http://user:100%@proxy.example'],
  ['TRUST_PROXY', '10.0.0.1'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', '0.0.0.0/0'],
  ['TRUST_PROXY', 'true'],
  ['PRIVATE_NETWORKS', '10.0.0.1'],
  ['PRIVATE_NETWORKS', '0.0.0.0/0'],
  ['LOG_LEVEL', 'loud'],
  ['DATABASE_URL', 'fathom.db'],
  ['DATABASE_URL', 'postgres:fathom db'],
  ['DATABASE_READ_URL', 'sqlite:./copy.db'],
  ['DATABASE_READ_URL', 'postgres://u:p@standby/f'],
  ['WALLETCONNECT_PROJECT_ID', 'my-project'],
  ['REDIS_URL', '127.0.0.1:6379'],
  ['DISCORD_MODE', 'webhook'],
  ['DISCORD_PUBLIC_KEY', 'abc'],
  ['TIERS', 'titan=9000'],
  ['EXPLORERS', 'etherscan.io'],
  ['TIERS', 'titan=1,whale=2,shark=3,dolphin=4'],
  ['TIERS', 'titan=9000,whale=5000,shark=2000,dolphin=0'],
  ['RATE_LIMIT_PUBLIC', '0'],
  ['RATE_LIMIT_KEY', '1.5'],
  ['STREAMS_PER_CLIENT', '0'],
  ['STREAMS_MAX', '1e3'],
  ['CHANGES_DAYS', '0'],
  ['DRAIN_SECONDS', '6'],
  ['KEEP_ALIVE_SECONDS', '0'],
  ['CHANGES_MAX', '999'],
  ['DISCORD_TOKEN', 'Bot abc def'],
  ['DISCORD_API_URL', 'localhost:8080'],
  ['TELEGRAM_TOKEN', 'short'],
  ['TELEGRAM_MODE', 'push'],
  ['TELEGRAM_WEBHOOK_SECRET', 'guess me'],
  ['UPSTREAM_URL', 'rep.example.org'],
  ['UPSTREAM_URL', 'https://rep.example.org/?key=1'],
  ['UPSTREAM_API_KEY', 'of-what'],
])('The configuration names the variable when refusing %s=%s', (name, text) => {
  expect(() => loadConfig({ [name]: text })).toThrow(UserError);
  expect(() => loadConfig({ [name]: text })).toThrow(new RegExp(`^${name}: `));
});

it('The configuration enables a chat by its token, and no other', () => {
  const discord = { DISCORD_TOKEN: TOKEN, DISCORD_API_URL: 'http://localhost:9/api' };
  expect(running(discord)).toEqual(['discord']);
  expect(settingsOf(discord, 'discord')).toMatchObject({
    bot: { token: TOKEN, apiUrl: 'http://localhost:9/api' },
  });
  expect(running({ TELEGRAM_TOKEN: TOKEN })).toEqual(['telegram']);
  expect(settingsOf({ TELEGRAM_TOKEN: TOKEN }, 'telegram')).toEqual({
    token: TOKEN,
    apiUrl: undefined,
    hasPublicUrl: false,
    webhook: undefined,
  });
});

it.each([
  ['METRICS_PORT', { PORT: '9000', METRICS_PORT: '9000' }],
  ['METRICS_PORT', { PORT: '9464' }],
  ['METRICS_PORT', { PORT: '9464', HOST: '0.0.0.0' }],
  ['DISCORD_MODE', { DISCORD_MODE: 'http' }],
  ['TELEGRAM_MODE', { TELEGRAM_MODE: 'webhook' }],
  ['DISCORD_API_URL', { DISCORD_API_URL: 'foo' }],
  ['DISCORD_CLIENT_SECRET', { DISCORD_CLIENT_SECRET: 'x'.repeat(32) }],
])('%s is named where it lacks something: %o', (name, env) => {
  expect(() => loadConfig(env)).toThrow(new RegExp(`^${name}: `));
});

it('The configuration accepts one port on two addresses, or any two free ones', () => {
  expect(loadConfig({ PORT: '0', METRICS_PORT: '0' }).port).toBe(0);
  const apart = { HOST: '10.0.0.1', PORT: '9464' };
  expect(loadConfig(apart)).toMatchObject({ port: 9464, metricsPort: 9464 });
});

it('The configuration requires the public key for interactions over HTTP', () => {
  const http = { DISCORD_TOKEN: TOKEN, DISCORD_MODE: 'http' };
  expect(() => loadConfig(http)).toThrow(/^DISCORD_MODE: http also needs DISCORD_PUBLIC_KEY/);
  const publicKey = 'AB'.repeat(32);
  expect(settingsOf({ ...http, DISCORD_PUBLIC_KEY: publicKey }, 'discord')).toMatchObject({
    bot: { http: { publicKey: publicKey.toLowerCase() } },
  });
  // Left over in the file, it changes nothing.
  const left = { DISCORD_TOKEN: TOKEN, DISCORD_PUBLIC_KEY: publicKey };
  expect(settingsOf(left, 'discord')).toMatchObject({ bot: { http: undefined } });
});

it('The configuration accepts a read replica only with Postgres', () => {
  const both = { DATABASE_URL: 'postgres://u:p@db/f', DATABASE_READ_URL: 'postgresql://u:p@two/f' };
  expect(loadConfig(both)).toMatchObject({ databaseReadUrl: 'postgresql://u:p@two/f' });
  const sqlite = { ...both, DATABASE_URL: 'sqlite:./x.db' };
  expect(() => loadConfig(sqlite)).toThrow(/^DATABASE_READ_URL: /);
});

it('The configuration requires an https address and a secret for a webhook', () => {
  const webhook = { TELEGRAM_TOKEN: TOKEN, TELEGRAM_MODE: 'webhook' };
  const secret = 'a-secret-of-some-length';
  expect(() => loadConfig(webhook)).toThrow(/^TELEGRAM_MODE: webhook also needs/);
  const all = { ...webhook, TELEGRAM_WEBHOOK_SECRET: secret };
  expect(() => loadConfig({ ...all, PUBLIC_URL: 'http://x.example' })).toThrow(/TELEGRAM_MODE/);
  expect(settingsOf({ ...all, PUBLIC_URL: 'https://x.example' }, 'telegram')).toMatchObject({
    webhook: { url: 'https://x.example/telegram/webhook', secret },
  });
});

it('The configuration reports all faults at once, one per line', () => {
  expect(() => loadConfig({ PORT: 'x', LOG_LEVEL: 'y' })).toThrow(/^PORT: .*\nLOG_LEVEL: .*$/);
});

it("The configuration reports a name similar to a setting's, and ignores others", () => {
  const misspelt = (...names: string[]) =>
    loadConfig(Object.fromEntries(names.map((name) => [name, 'x']))).misspelt;
  expect(misspelt('DISCORD_TOKN', 'TELEGRAM_BOT_TOKEN', 'PROT')).toEqual([
    expect.stringMatching(/^DISCORD_TOKN: .* DISCORD_TOKEN\?$/),
    expect.stringMatching(/^TELEGRAM_BOT_TOKEN: .* TELEGRAM_TOKEN\?$/),
    expect.stringMatching(/^PROT: .* PORT\?$/),
  ]);
  expect(misspelt('PATH', 'HOME', 'HOSTNAME', 'REDIS_PORT', 'LOGNAME', 'TERM', 'SHLVL')).toEqual(
    [],
  );
  expect(() => loadConfig({ UPSTREAM_API_KEY: 'k', UPSTREAM_ULR: 'https://x.example' })).toThrow(
    /^UPSTREAM_API_KEY: .*\nUPSTREAM_ULR: .* UPSTREAM_URL\?$/,
  );
});

describe('.env.example', () => {
  const text = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');

  it('explains every variable that is read, and no other', () => {
    const explained = [...text.matchAll(/^# ([A-Z_]+)=/gm)].map((match) => match[1]);
    const read = variablesOf().filter((name) => name !== 'FATHOM_ENV_FILE');
    // The proxies' names may be in small letters, which the text says beside them.
    expect(new Set(explained)).toEqual(new Set(read.map((name) => name.toUpperCase())));
  });

  it('has valid example values', () => {
    const values = [...text.matchAll(/^# ([A-Z_]+)=(.+)$/gm)].map((match) => [match[1], match[2]]);
    expect(() => loadConfig(Object.fromEntries(values))).not.toThrow();
  });

  // By default there is no database, no rule and no explorer of one's own, which their comments say.
  const EXAMPLES = ['DATABASE_URL', 'RULES', 'EXPLORERS'];

  it('gives each variable its default', () => {
    const given = [...text.matchAll(/^# ([A-Z_]+)=(.+)$/gm)];
    const settings = (env: Environment) => JSON.stringify(loadConfig(env));
    const others = given.filter(
      ([, name = '', value]) => settings({ [name]: value }) !== settings({}),
    );
    expect(others.map(([, name]) => name)).toEqual(EXAMPLES);
  });
});

describe('Of the settings that replicas compare,', () => {
  const differing = (one: Environment, other: Environment) => {
    const [a, b] = [one, other].map((env) => agreedSettings(loadConfig(env)));
    return Object.keys(a ?? {}).filter((name) => a?.[name] !== b?.[name]);
  };

  it('replicas differ if only one finds names and reaches webhooks', () => {
    const all = {
      PRIVATE_NETWORKS: '10.0.0.0/8',
      ETHEREUM_RPC_URL: 'https://one.example.org',
      SOLANA_RPC_URL: 'https://one.example.org',
      NFD_API_URL: 'https://one.example.org',
      ALGORAND_INDEXER_URL: 'https://one.example.org',
      WALLETCONNECT_PROJECT_ID: '0123456789abcdef0123456789abcdef',
    };
    expect(new Set(differing(all, {}))).toEqual(new Set(Object.keys(all)));
  });

  it('nodes may be of their own, and networks in any order', () => {
    const one = {
      ETHEREUM_RPC_URL: 'https://a.example.org',
      PRIVATE_NETWORKS: '10.0.0.0/8,fd00::/8',
    };
    const other = {
      ETHEREUM_RPC_URL: 'https://b.example.org',
      PRIVATE_NETWORKS: 'fd00::/8,10.0.0.0/8',
    };
    expect(differing(one, other)).toEqual([]);
  });

  it('only Redis itself knows which one a URL leads to; settings show whether there is any', () => {
    const REDIS_URL = 'redis://one.example.org';
    expect(agreedSettings(loadConfig({ REDIS_URL }))).not.toHaveProperty('REDIS_URL');
    expect(agreedSettings(loadConfig({}))).toHaveProperty('REDIS_URL');
  });

  it.each([
    ['PRIVATE_NETWORKS', 'fd00::/8,10.0.0.0/8', '10.0.0.0/8, FD00:0::/8, 10.0.0.0/8'],
    ['PRIVATE_NETWORKS', '10.1.2.0/24,192.0.2.128/25', '10.1.2.7/24,192.0.2.255/25'],
    ['PRIVATE_NETWORKS', 'fd00::/9,fd00:a:b::/48', 'fd7f::7/9,fd00:a:b:c::1/48'],
    [
      'TIERS',
      'titan=9000,whale=5000,shark=2000,dolphin=500',
      'Dolphin = 500,shark=2000,whale=5000,titan=9000',
    ],
    ['PUBLIC_URL', 'https://rep.example.org', 'https://REP.example.org:443/'],
    ['UPSTREAM_URL', 'https://rep.example.org', 'https://REP.example.org/v1/'],
    [
      'EXPLORERS',
      'eip155:1=https://a.example.org/{transaction},eip155:1=https://a.example.org/{address},eip155:9=https://b.example.org/{address}',
      'eip155:9=https://B.example.org/{address}, eip155:1=https://a.example.org/{address},eip155:1=https://A.example.org/{transaction}',
    ],
  ])('%s may be written in another way', (name, one, other) => {
    expect(differing({ [name]: one }, { [name]: other })).toEqual([]);
  });
});
