import { loadConfig, runServer } from '#app';
import { backupCommand } from './backup/backup.ts';
import { restoreCommand } from './backup/restore.ts';
import type { CliCommand } from './command.ts';
import {
  evidenceExportCommand,
  evidenceRetractCommand,
  evidenceVerifyCommand,
  sybilReportCommand,
} from './evidence/commands.ts';
import { formatTable } from './format.ts';
import { importCommand } from './import/command.ts';
import { initCommand } from './init/command.ts';
import { keysCreateCommand, keysListCommand, keysRevokeCommand } from './keys.ts';
import { migrateStoreCommand } from './migrate-store.ts';
import {
  rulesAddCommand,
  rulesApplyCommand,
  rulesCheckCommand,
  rulesRehearseCommand,
  rulesTemplatesCommand,
  rulesUndoCommand,
} from './rules/commands.ts';
import { sourcesCheckAgainCommand, sourcesCommand } from './sources/command.ts';
import {
  webhooksAddCommand,
  webhooksDeliveriesCommand,
  webhooksListCommand,
  webhooksRemoveCommand,
  webhooksResumeCommand,
  webhooksRotateCommand,
  webhooksTestCommand,
} from './webhooks/commands.ts';

const serveCommand: CliCommand = {
  name: 'serve',
  synopsis: '',
  summary: 'run the service',
  help: `Listens on HOST and PORT until SIGINT or SIGTERM. Settings come from the environment and from
.env; .env.example lists them. Without any settings, it serves demo data with made-up wallets.`,
  options: {},
  operands: { min: 0, max: 0 },
  async run(_, { env }) {
    await runServer(loadConfig(env));
    return 0;
  },
};

const doctorCommand: CliCommand = {
  name: 'doctor',
  synopsis: '',
  summary: 'check configuration, database, disk and ports',
  help: `Changes nothing. Each line starts with ok, warn or fail; warn and fail say what to do.
Exit code: 1 if any check fails.`,
  options: {},
  operands: { min: 0, max: 0 },
  async run(_, context) {
    // Loaded here so that other commands start without the drivers of databases and Redis.
    const { examine } = await import('./doctor/examine.ts');
    const findings = await examine(context);
    const rows = findings.map(({ level, subject, text }) => [level, subject, text]);
    context.stdout.write(formatTable(rows, 'lll'));
    return findings.some(({ level }) => level === 'fail') ? 1 : 0;
  },
};

/** Every CLI command, in the order of `--help`. */
export const cliCommands: readonly CliCommand[] = [
  serveCommand,
  initCommand,
  importCommand,
  keysCreateCommand,
  keysListCommand,
  keysRevokeCommand,
  webhooksAddCommand,
  webhooksListCommand,
  webhooksTestCommand,
  webhooksRotateCommand,
  webhooksResumeCommand,
  webhooksRemoveCommand,
  webhooksDeliveriesCommand,
  backupCommand,
  restoreCommand,
  migrateStoreCommand,
  rulesTemplatesCommand,
  rulesAddCommand,
  rulesCheckCommand,
  rulesRehearseCommand,
  rulesApplyCommand,
  rulesUndoCommand,
  evidenceExportCommand,
  evidenceVerifyCommand,
  evidenceRetractCommand,
  sybilReportCommand,
  sourcesCommand,
  sourcesCheckAgainCommand,
  doctorCommand,
];
