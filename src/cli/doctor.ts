import { type Config, loadConfig } from '#app/config';
import { messageOf } from '#core/errors';
import { type Finding, fail, ok, warn } from '#runtime/finding';
import type { CliCommand, CliContext } from './command.ts';
import { dataFinding } from './doctor/data.ts';
import { checkSqliteFile } from './doctor/database.ts';
import { checkLinking } from './doctor/linking.ts';
import { checkPorts } from './doctor/ports.ts';
import { checkCopy } from './doctor/postgres/copy.ts';
import { checkPostgres } from './doctor/postgres/index.ts';
import { checkProxy } from './doctor/proxy.ts';
import { checkRedis } from './doctor/redis.ts';
import { checkRules } from './doctor/rules.ts';
import { checkUpstream } from './doctor/upstream.ts';
import { IN_MEMORY, openStoreOf } from './store.ts';
import { formatTable } from './table.ts';

export const doctorCommand: CliCommand = {
  name: 'doctor',
  synopsis: '',
  summary: 'check configuration, database, disk and ports',
  help: `Changes nothing. Each line starts with ok, warn or fail; warn and fail say what to do.
Exit code: 1 if any check fails.`,
  options: {},
  operands: { min: 0, max: 0 },
  async run(_, context) {
    const findings = await examine(context);
    const rows = findings.map(({ level, subject, text }) => [level, subject, text]);
    context.stdout.write(formatTable(rows, 'lll'));
    return findings.some(({ level }) => level === 'fail') ? 1 : 0;
  },
};

async function examine(context: CliContext): Promise<Finding[]> {
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
    ...(await checkRedis(config)),
    ...(await checkUpstream(config)),
    ...(await Promise.all(config.platforms.map(({ check }) => check()))).flat(),
    ...(await checkLinking(config)),
    ...checkProxy(config),
    ...(await checkPorts(config)),
  ];
}

const SQLITE = 'sqlite:';
const UPSTREAM_DATA = ok(
  'data',
  'API keys and links only; reputation data comes from the upstream',
);

async function examineDatabase(config: Config, context: CliContext): Promise<Finding[]> {
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

async function examinePostgres(config: Config): Promise<Finding[]> {
  const { findings, replicas, data } = await checkPostgres(config.databaseUrl);
  const all = [...findings];
  if (data !== undefined) all.push(config.upstream === undefined ? data : UPSTREAM_DATA);
  if (config.databaseReadUrl !== undefined) all.push(await checkCopy(config.databaseReadUrl));
  if (replicas < 2 || config.redisUrl !== undefined) return all;
  const text =
    'REDIS_URL is not set, so each replica counts requests on its own and the limits multiply by the number of replicas. Set it on all of them.';
  return [...all, warn('limits', text)];
}

async function examineData(config: Config, context: CliContext): Promise<Finding> {
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
