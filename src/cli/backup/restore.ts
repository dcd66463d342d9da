import { existsSync } from 'node:fs';
import { type Config, isPostgres } from '#app';
import { UserError } from '#base';
import { statIfThere } from '#base/process';
import type { CliArguments, CliCommand, CliContext } from '#cli/command';
import { formatTable } from '#cli/format';
import { databaseFile, openStoreOf, requireDatabase } from '#cli/store';
import { contentsOf, findStore, noteOnKilled } from '#storage/transfer';
import { pauseOf, reportPaused, requireReadable, restoredRows, useRestore } from './common.ts';

export const restoreCommand: CliCommand = {
  name: 'restore',
  synopsis: 'FILE [--replace]',
  summary: 'put a backup in the place of the database',
  help: `Puts FILE, a backup, in the place of the SQLite database that DATABASE_URL names. FILE stays as it
is. Before anything is replaced, a copy of it is checked: its digest, if FILE.json is beside it, every
page, and that the ledger and the scores agree; an older schema is brought up to date.

  --replace  even if there is a database; it is kept under another name

Stop the service first: this refuses while one runs or anything has the database open. However it
ends, there is then either the old database or the restored one, without the log of another.

Webhooks are paused, as their receivers may know of changes that are gone. Clients that follow
changes from a later point get 410 cursor-gone and start over.

With Postgres, restore with pg_restore; "fathom restore FILE" says how. Then "fathom restore",
without a file, does the rest.

Exit code: 0; 1 if nothing was changed; 2 for wrong usage.`,
  options: { replace: { type: 'boolean' } },
  operands: { min: 0, max: 1 },
  run,
};

async function run(
  { values, operands: [backup] }: CliArguments,
  context: CliContext,
): Promise<number> {
  const config = requireDatabase(context, 'A restore');
  if (isPostgres(config.databaseUrl)) {
    if (backup !== undefined) throw useRestore();
    return await finishPostgres(config, context);
  }
  if (backup === undefined) throw new UserError('wrong-usage', 'fathom restore needs FILE.');
  const found = statIfThere(backup);
  if (!found?.isFile()) {
    const text = found === undefined ? `There is no file ${backup}.` : `${backup} is no file.`;
    throw new UserError('wrong-usage', text);
  }
  requireNoRecord(backup);
  requireReadable(backup);
  const file = databaseFile(config.databaseUrl) as string;
  const before = statIfThere(file);
  const isThere = before !== undefined;
  if (isThere && !before.isFile()) {
    const text = `DATABASE_URL: ${file} is no file. Name the database, or a new file in that folder.`;
    throw new UserError('wrong-configuration', text);
  }
  // Loaded here so that other commands start without it.
  const { isSameInode } = await import('#storage/sqlite');
  if (isSameInode(backup, file)) {
    throw new UserError(
      'wrong-usage',
      `${backup} is the database itself, which DATABASE_URL names as ${file}. Nothing was changed; name a backup of it.`,
    );
  }
  if (isThere && values.replace !== true) {
    throw new UserError(
      'wrong-usage',
      `${file} exists. To put the backup in its place, add --replace; the database is then kept under another name.`,
    );
  }
  // Loaded here so that other commands start without it.
  const { restoreFile } = await import('./restore-file.ts');
  return await restoreFile(backup, file, context);
}

/** A shell completes a backup's name to either. @throws UserError `wrong-usage` */
function requireNoRecord(named: string): void {
  const backup = named.replace(/\.json$/, '');
  if (backup === named || !existsSync(backup)) return;
  throw new UserError('wrong-usage', `${named} only describes the backup; name ${backup}.`);
}

/** After pg_restore. */
async function finishPostgres(config: Config, context: CliContext): Promise<number> {
  const place = await findStore(config.databaseUrl);
  const { kind, location } = place;
  // Before it's opened, which would make an empty one that passes for what was restored.
  if ((await kind.inspect(location)) !== 'filled') throw nothingThere(kind.nameOf(location));
  // Before it's opened, too, which brings an older one up to date.
  if (await kind.isServed(location)) {
    throw new UserError(
      'wrong-usage',
      `A replica is using this database. Stop all of them first.${noteOnKilled(place)}`,
    );
  }
  const store = await openStoreOf(config, context);
  try {
    await store.openSource();
    const contents = await contentsOf(place);
    const paused = await store.webhooks.pauseAll(pauseOf('a backup'));
    const { lastImportAt } = store.figures();
    context.stdout.write(formatTable(restoredRows(contents, lastImportAt), 'lr'));
    reportPaused(paused, context.stderr);
    return 0;
  } finally {
    await store.close();
  }
}

function nothingThere(name: string): UserError {
  return new UserError(
    'wrong-usage',
    `${name} has no data of Fathom's, so nothing was restored into it: pg_restore failed, or went to another database. What you put aside is still there, in the schema fathom_before; "fathom restore FILE" prints the commands.`,
  );
}
