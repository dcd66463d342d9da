import { type Config, loadConfig } from '#app';
import { type CheckFinding, fail, messageOf, ok, warn } from '#base';
import type { CliContext } from '#cli/command';
import { IN_MEMORY, openStoreOf } from '#cli/store';
import { checkAgreement } from './agreement.ts';
import { dataFinding } from './data.ts';
import { checkSqliteFile } from './database.ts';
import { checkEgress } from './egress.ts';
import { checkLinking } from './linking.ts';
import { checkNames } from './names.ts';
import { checkPorts } from './ports.ts';
import { checkProxy } from './proxy.ts';
import { checkRedis } from './redis.ts';
import { checkRules } from './rules.ts';
import { checkSources, nodeVariables } from './sources.ts';
import { checkUpstream } from './upstream.ts';
import { checkWebhooks } from './webhooks.ts';

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
  const database = await examineDatabase(config, context);
  const hasData = database.some(({ subject, level }) => subject === 'data' && level !== 'fail');
  return [
    ok('configuration', 'all variables that are set are valid'),
    ...config.misspelt.map((sentence) => warn('configuration', sentence)),
    ...database,
    ...(await checkRules(config, context, hasData)),
    ...(await checkSources(config, context, hasData)),
    ...(await checkWebhooks(config, context, hasData)),
    ...(await checkRedis(config)),
    ...(await checkUpstream(config)),
    ...(await Promise.all(config.platforms.map(({ check }) => check()))).flat(),
    ...(await checkLinking(config)),
    ...(await checkNames(config)),
    ...checkEgress(config, await nodeVariables(config), context.env),
    ...checkProxy(config),
    ...(await checkPorts(config)),
  ];
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
  const { checkPostgres } = await import('./postgres/index.ts');
  const { findings, replicas, notices, data } = await checkPostgres(config.databaseUrl);
  const all = [...findings, ...checkAgreement(config, notices)];
  if (data !== undefined) all.push(config.upstream === undefined ? data : UPSTREAM_DATA);
  if (config.databaseReadUrl !== undefined) {
    const { checkCopy } = await import('./postgres/copy.ts');
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
