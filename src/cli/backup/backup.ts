import { existsSync, statSync } from 'node:fs';
import { isPostgres } from '#app';
import { formatTime, UserError, wallSeconds } from '#base';
import { type CliArguments, type CliCommand, type CliContext, version } from '#cli/command';
import { finishAll, NewFile } from '#cli/new-file';
import { listenForInterrupt, lowerPriority } from '#cli/process';
import { createProgress } from '#cli/progress';
import { databaseFile, requireDatabase, requireExisting } from '#cli/store';
import { type BackupRecord, digestOf, recordPath, recordTable, useDump } from './common.ts';

export const backupCommand: CliCommand = {
  name: 'backup',
  synopsis: 'FILE',
  summary: 'copy the database into a file, while it is served',
  help: `Copies the SQLite database into FILE, as it is at this moment: a service and imports may go on
writing meanwhile. The copy is checked, and gets its name only once it is whole. Beside it,
FILE.json says what it is: SHA-256, version, time and counts, which are also printed.

FILE and FILE.json must not exist yet. Both are for your eyes only: the database has the secrets of
webhooks and what members linked.

With Postgres, this prints the command that does the same.

Exit code: 0, or 1 if there is no backup; 2 for wrong usage.`,
  options: {},
  operands: { min: 1, max: 1 },
  run,
};

/** For its owner alone. */
const OWN = 0o600;

async function run({ operands: [path = ''] }: CliArguments, context: CliContext): Promise<number> {
  const { databaseUrl } = requireDatabase(context, 'A backup');
  if (isPostgres(databaseUrl)) throw useDump();
  const file = databaseFile(databaseUrl) as string;
  await requireExisting({ databaseUrl });
  requireNoLeftOver(path);
  lowerPriority();
  // A copy under way may be as large as the database. The exit removes it; a signal alone would leave it.
  const interruption = listenForInterrupt(() => process.exit(interruption.exitCode()));
  const copy = new NewFile(path, OWN);
  const note = new NewFile(recordPath(path), OWN);
  try {
    const record = await write(file, copy.part, path, context);
    note.write(`${JSON.stringify(record, undefined, 2)}\n`);
    // The record first, so that a backup that is there has one.
    finishAll([note, copy]);
    context.stdout.write(recordTable(record));
    return 0;
  } finally {
    copy.close();
    note.close();
    interruption.dispose();
  }
}

/**
 * The record gets its name first, so a kill between the two leaves it alone. It stays, as its backup may only have been
 * moved.
 * @throws UserError `wrong-usage`
 */
function requireNoLeftOver(path: string): void {
  const record = recordPath(path);
  if (existsSync(path) || !existsSync(record)) return;
  throw new UserError(
    'wrong-usage',
    `Can't write ${record}: it is there already, without ${path}. If that isn't elsewhere, the backup was killed: delete ${record}, or name a new file.`,
  );
}

async function write(
  file: string,
  part: string,
  name: string,
  { stderr }: CliContext,
): Promise<BackupRecord> {
  // Loaded here so that other commands start without it.
  const { copyDatabase } = await import('#storage/sqlite');
  const total = statSync(file).size;
  const progress = createProgress({
    ...{ label: 'Copying', unit: 'MiB', totalBytes: total, stream: stderr },
    monotonicMs: () => performance.now(),
  });
  const takenAt = formatTime(wallSeconds());
  try {
    const { schema, contents } = await copyDatabase(file, part, name, (share) => {
      const bytes = Math.round(share * total);
      progress.update({ bytes, lines: Math.floor(bytes / 1024 / 1024) });
    });
    const [sha256, bytes] = [await digestOf(part), statSync(part).size];
    return { sha256, bytes, fathom: version(), schema, takenAt, contents };
  } finally {
    progress.end();
  }
}
