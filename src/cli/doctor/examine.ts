import { once } from 'node:events';
import { createServer } from 'node:net';
import { agreedSettings, type Config, loadConfig } from '#app';
import { type CheckFinding, fail, formatTime, messageOf, ok, warn } from '#base';
import {
  hasProxy,
  nameOfProxy,
  pointlessExemptions,
  proxyFor,
  unusedExemptions,
} from '#base/process';
import type { CliContext } from '#cli/command';
import { waitingFor } from '#cli/progress';
import { IN_MEMORY, openStoreOf } from '#cli/store';
import { differing, settingsIn } from '#cluster';
import { PROGRAM_VERSION } from '#storage';
import { ServerClocks } from './clock.ts';
import { checkSqliteFile, dataFinding } from './database.ts';
import { checkRules, checkSources, nodeVariables } from './rules.ts';
import {
  checkGating,
  checkLinking,
  checkNames,
  checkRedis,
  checkUpstream,
  checkWebhooks,
} from './services.ts';

/** Runs every check and changes nothing. */
export async function examine(context: CliContext): Promise<CheckFinding[]> {
  let config: Config;
  try {
    config = loadConfig(context.env);
  } catch (error) {
    return messageOf(error)
      .split('\n')
      .map((line) => fail('configuration', line));
  }
  using clocks = new ServerClocks();
  const database = await waitingFor('the database', () => examineDatabase(config, context));
  const hasData = database.some(({ subject, level }) => subject === 'data' && level !== 'fail');
  return [
    ok('configuration', 'all variables that are set are valid'),
    ...config.misspelt.map((sentence) => warn('configuration', sentence)),
    ...database,
    ...(await checkRules(config, context, hasData)),
    ...(await waitingFor('the nodes of sources', () => checkSources(config, context, hasData))),
    ...(await checkWebhooks(config, context, hasData)),
    ...(await checkGating(config, context, hasData)),
    ...(await waitingFor('Redis', () => checkRedis(config))),
    ...(await waitingFor('the upstream', () => checkUpstream(config))),
    ...(await waitingFor('the chat platforms', () => checkPlatforms(config))),
    ...(await waitingFor('the nodes that verify proofs', () => checkLinking(config))),
    ...(await waitingFor('the name services', () => checkNames(config))),
    ...checkEgress(config, await nodeVariables(config), context.env),
    ...clocks.findings(),
    ...checkProxy(config),
    ...(await checkPorts(config)),
  ];
}

async function checkPlatforms({ platforms }: Config): Promise<CheckFinding[]> {
  return (await Promise.all(platforms.map(({ check }) => check()))).flat();
}

const SQLITE = 'sqlite:';
const UPSTREAM_DATA = ok(
  'data',
  'API keys and links only; reputation data comes from the upstream',
);

async function examineDatabase(config: Config, context: CliContext): Promise<CheckFinding[]> {
  if (config.upstream !== undefined && config.databaseUrl === IN_MEMORY) {
    return [
      warn(
        'database',
        'not configured: API keys and linked wallets are lost on restart. Set DATABASE_URL to keep them.',
      ),
    ];
  }
  if (config.demo) {
    return [
      warn(
        'database',
        'not configured: serving demo data with made-up wallets. Set DATABASE_URL, for example to sqlite:./data/fathom.db',
      ),
    ];
  }
  if (!config.databaseUrl.startsWith(SQLITE)) return examinePostgres(config);
  const { findings, isReady } = checkSqliteFile(config.databaseUrl.slice(SQLITE.length));
  return isReady ? [...findings, await examineData(config, context)] : [...findings];
}

async function examinePostgres(config: Config): Promise<CheckFinding[]> {
  // Loaded here so that a check without Postgres starts without its driver.
  const { checkCopy, checkPostgres } = await import('./postgres.ts');
  const { findings, replicas, notices, data } = await checkPostgres(config.databaseUrl);
  const all = [...findings, ...checkAgreement(config, notices)];
  if (data !== undefined) all.push(config.upstream === undefined ? data : UPSTREAM_DATA);
  if (config.databaseReadUrl !== undefined) {
    all.push(await checkCopy(config.databaseReadUrl));
  }
  if (replicas < 2 || config.redisUrl !== undefined) return all;
  const text =
    'REDIS_URL is not set, so each replica counts requests on its own and the limits multiply by the number of replicas. Set it on all of them.';
  return [...all, warn('limits', text)];
}

async function examineData(config: Config, context: CliContext): Promise<CheckFinding> {
  try {
    const store = await openStoreOf(config, context);
    try {
      const { totalUsers } = await (await store.openSource()).reading().stats();
      const { activities, lastImportAt } = store.figures();
      if (config.upstream !== undefined) return UPSTREAM_DATA;
      return dataFinding(totalUsers, activities, lastImportAt);
    } finally {
      await store.close();
    }
  } catch (error) {
    return fail('data', messageOf(error));
  }
}

/** Whether all replicas, and these settings, are the same in what must be. @param notices what replicas say */
function checkAgreement(config: Config, notices: readonly string[]): CheckFinding[] {
  const stated = settingsIn(notices);
  if (stated.length === 0) return [];
  const odd = stated.flatMap((each) => {
    const names = differing(
      each,
      stated.filter((other) => other !== each),
    );
    if (names.length === 0) return [];
    return [
      warn(
        'settings',
        `the replica that started at ${formatTime(Math.floor(each.since))} differs from the others in ${names.join(', ')}, and leaves roles, webhooks and chats to them. Start it with the same ${names.includes('version') ? 'version and settings' : 'settings'}.`,
      ),
    ];
  });
  const own = {
    ...{ replica: '', since: Number.POSITIVE_INFINITY },
    ...{ settings: agreedSettings(config), version: PROGRAM_VERSION },
  };
  const here = differing(own, stated);
  if (here.length > 0) {
    odd.push(
      warn(
        'settings',
        `${here.join(', ')} here differs from the running replicas: one started with these settings would stand aside.`,
      ),
    );
  }
  return odd.length > 0
    ? odd
    : [ok('settings', 'the same on all replicas, as far as they must be')];
}

/**
 * By which way each service is reached, if a proxy is configured.
 * @param nodes the variables of the rules' nodes and hubs
 */
function checkEgress(
  config: Config,
  nodes: readonly string[],
  env: NodeJS.ProcessEnv,
): CheckFinding[] {
  if (!hasProxy(env)) return unreadProxy(env);
  const ways = new Map<string, string[]>();
  const add = (target: string | URL, name: string) => {
    const proxy = proxyFor(target, env);
    const way = proxy === undefined ? 'directly' : `through ${nameOfProxy(proxy)}`;
    ways.set(way, [...new Set([...(ways.get(way) ?? []), name])]);
  };
  const targets = targetsOf(config, nodes, env)
    .map((text) => URL.parse(text))
    .filter((url) => url !== null);
  for (const url of targets) add(url, url.host);
  // A name that NO_PROXY can hardly have: what it exempts says nothing of all others.
  add('https://any.invalid', OTHERS);
  const pointless = pointlessExemptions(env).map((entry) =>
    warn(
      'egress',
      `NO_PROXY: nothing can fit ${JSON.stringify(entry.replace(/^.*@/, '…@'))}. Write a host, a domain or a network, each with or without a port: node.example, 10.0.0.0/8, 10.1.2.3:8545.`,
    ),
  );
  const unused = unusedExemptions(targets, env);
  return [
    ...[...ways].map(([way, names]) => ok('egress', `${way}: ${names.join(', ')}`)),
    ...(unused.length === 0 ? [] : [ok('egress', `${UNUSED}: ${unused.join(', ')}`)]),
    ...pointless,
  ];
}

/** Warns if ALL_PROXY is the only one: other programs use it as the way out, Fathom doesn't. */
function unreadProxy(env: NodeJS.ProcessEnv): CheckFinding[] {
  if (!env.ALL_PROXY?.trim() && !env.all_proxy?.trim()) return [];
  return [
    warn('egress', 'ALL_PROXY is not read, so everything goes directly. Set HTTPS_PROXY instead.'),
  ];
}

const OTHERS =
  'what others choose (webhooks, pictures, name gateways), unless NO_PROXY or PRIVATE_NETWORKS names it';

const UNUSED = 'nothing that is set here has a host named by these entries of NO_PROXY';

/** What is configured. */
function targetsOf(config: Config, nodes: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const { upstream, ethereumRpcUrl, solanaRpcUrl, nfdApiUrl, algorandIndexerUrl } = config;
  return [
    upstream?.url,
    ...[ethereumRpcUrl, solanaRpcUrl, nfdApiUrl, algorandIndexerUrl],
    ...nodes.map((name) => env[name]?.trim()),
    ...config.platforms.flatMap(({ servers }) => servers),
  ].filter((url) => url !== undefined);
}

/** Fathom itself speaks plain HTTP, so an https URL implies a proxy in front. */
function checkProxy({ publicUrl, trustProxy }: Config): CheckFinding[] {
  if (publicUrl?.startsWith('https:') !== true || trustProxy.length > 0) return [];
  const text = `TRUST_PROXY is not set: behind the proxy at ${publicUrl}, all clients look like one and share its rate limit. Set it to the proxy's network.`;
  return [warn('proxy', text)];
}

/** Whether the service can listen on the configured addresses. */
async function checkPorts({
  host,
  port,
  metricsHost,
  metricsPort,
}: Config): Promise<CheckFinding[]> {
  return [
    await checkPort('PORT', host, port),
    await checkPort('METRICS_PORT', metricsHost, metricsPort),
  ];
}

async function checkPort(variable: string, host: string, port: number): Promise<CheckFinding> {
  const subject = variable === 'PORT' ? 'port' : 'metrics port';
  if (port === 0) return ok(subject, 'any free port');
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return ok(subject, `${host}:${port} is free`);
  } catch (error) {
    return unavailable(error, subject, `${host}:${port}`, variable);
  }
}

function unavailable(
  error: unknown,
  subject: string,
  place: string,
  variable: string,
): CheckFinding {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return warn(
        subject,
        `${place} is in use. That's expected if Fathom is running; otherwise stop the program that uses it, or change ${variable}.`,
      );
    case 'EACCES':
      return fail(
        subject,
        `${place} is not allowed for this user. Set ${variable} to 1024 or more.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail(subject, `${place} is not an address of this machine. Set HOST to one that is.`);
    default:
      return fail(subject, `${place} can't be used: ${messageOf(error)}`);
  }
}
