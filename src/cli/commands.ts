import { backupCommand } from './backup/backup.ts';
import { restoreCommand } from './backup/restore.ts';
import type { CliCommand } from './command.ts';
import { doctorCommand } from './doctor.ts';
import {
  evidenceExportCommand,
  evidenceRetractCommand,
  evidenceVerifyCommand,
} from './evidence/commands.ts';
import { importCommand } from './import/command.ts';
import { keysCreateCommand, keysListCommand, keysRevokeCommand } from './keys.ts';
import { migrateStoreCommand } from './migrate-store/command.ts';
import {
  rulesApplyCommand,
  rulesCheckCommand,
  rulesRehearseCommand,
  rulesUndoCommand,
} from './rules/commands.ts';
import { serveCommand } from './serve.ts';
import { sourcesCheckAgainCommand, sourcesCommand } from './sources/command.ts';
import { sybilReportCommand } from './sybil/commands.ts';
import {
  webhooksAddCommand,
  webhooksDeliveriesCommand,
  webhooksListCommand,
  webhooksRemoveCommand,
  webhooksResumeCommand,
  webhooksRotateCommand,
  webhooksTestCommand,
} from './webhooks/commands.ts';

/** Every CLI command, in the order of `--help`. */
export const cliCommands: readonly CliCommand[] = [
  serveCommand,
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
