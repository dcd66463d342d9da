import { type Config, loadConfig } from '#config';
import { messageOf } from '#core/errors';
import { formatTime } from '#core/time';
import type { CliCommand, CommandContext } from './command.ts';
import { checkSqliteFile } from './doctor/database.ts';
import { type Finding, fail, ok, warn } from './doctor/finding.ts';
import { checkLinkedRoles } from './doctor/linked-roles.ts';
import { checkLinking } from './doctor/linking.ts';
import { checkPorts } from './doctor/ports.ts';
import { checkUpstream } from './doctor/upstream.ts';
import { IN_MEMORY, openStoreOf } from './store.ts';
import { formatTable } from './table.ts';

export const doctorCommand: CliCommand = {
  name: 'doctor',
  synopsis: '',
  summary: 'check configuration, database, disk and ports',
  help: `Changes nothing. Every line begins with ok, warn or fail, and says what to do unless it is ok.
Exit code: 1 when anything fails.`,
  options: {},
  operands: { min: 0, max: 0 },
  async run(_, context) {
    const findings = await examine(context);
    const rows = findings.map(({ level, subject, text }) => [level, subject, text]);
    context.stdout.write(formatTable(rows, 'lll'));
    return findings.some(({ level }) => level === 'fail') ? 1 : 0;
  },
};

async function examine(context: CommandContext): Promise<Finding[]> {
  let config: Config;
  try {
    config = loadConfig(context.env);
  } catch (error) {
    return messageOf(error)
      .split('\n')
      .map((line) => fail('configuration', line));
  }
  return [
    ok('configuration', 'every variable that is set can be read'),
    ...(await examineDatabase(config, context)),
    ...(await checkUpstream(config)),
    ...(await checkLinking(config)),
    ...checkLinkedRoles(config),
    ...(await checkPorts(config)),
  ];
}

const SQLITE = 'sqlite:';

async function examineDatabase(config: Config, context: CommandContext): Promise<Finding[]> {
  if (config.upstream !== undefined && config.databaseUrl === IN_MEMORY) {
    return [
      warn(
        'database',
        'none configured: API keys and linked wallets are forgotten at the next start. Set DATABASE_URL to keep them.',
      ),
    ];
  }
  if (config.demo) {
    return [
      warn(
        'database',
        'none configured: a small demo data set in memory is shown. Set DATABASE_URL, for example to sqlite:./data/fathom.db',
      ),
    ];
  }
  // Other stores are looked at by opening them.
  if (!config.databaseUrl.startsWith(SQLITE)) return [await examineData(config, context)];
  const { findings, isReady } = checkSqliteFile(config.databaseUrl.slice(SQLITE.length));
  return isReady ? [...findings, await examineData(config, context)] : [...findings];
}

async function examineData(config: Config, context: CommandContext): Promise<Finding> {
  try {
    const store = await openStoreOf(config, context);
    try {
      const { totalUsers } = await (await store.openSource()).reading().stats();
      const { activities, lastImportAt } = store.figures();
      if (config.upstream !== undefined)
        return ok('data', 'API keys and links alone; the figures are upstream');
      if (totalUsers === 0 || lastImportAt === undefined) {
        return warn('data', 'no wallet has any activity yet. Fill it with "fathom import FILE".');
      }
      const counts = `${totalUsers.toLocaleString('en-US')} wallets, ${activities.toLocaleString('en-US')} activities`;
      return ok('data', `${counts}, last import ${formatTime(lastImportAt)}`);
    } finally {
      store.close();
    }
  } catch (error) {
    return fail('data', messageOf(error));
  }
}
