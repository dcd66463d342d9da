import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { formatTime, RetryableError, UserError, wallSeconds } from '#base';
import type { CliContext } from '#cli/command';
import { formatTable } from '#cli/format';
import { diskFault, whyUnwritable } from '#cli/new-file';
import { listenForInterrupt } from '#cli/process';
import {
  dropWithLog,
  makeFolder,
  markServed,
  placeCopy,
  prepareCopy,
  realFile,
  replaceDatabase,
} from '#storage/sqlite';
import { digestOf, pauseOf, readBackupRecord, reportPaused, restoredRows } from './common.ts';

/**
 * Puts a backup in the place of a database, or leaves it as it was.
 * @param named the database's file, or a link to it
 * @returns the exit code
 * @throws UserError, RetryableError
 */
export async function restoreFile(
  backup: string,
  named: string,
  context: CliContext,
): Promise<number> {
  const record = readBackupRecord(backup);
  // A link to it stays one.
  const file = realFile(named);
  makeFolder(dirname(resolve(file)), file);
  // As long as this lasts, no service starts.
  const leave = markServed(file);
  let copy: string | undefined;
  // Nothing is replaced before the last step, which no signal interrupts.
  const interruption = listenForInterrupt(() => {
    if (copy !== undefined) dropWithLog(copy);
    context.stderr.write('Stopped. Nothing was changed.\n');
    process.exit(interruption.exitCode());
  });
  try {
    copy = placeCopy(backup, file);
    if (record !== undefined && (await digestOf(copy)) !== record.sha256) {
      throw new UserError(
        'wrong-configuration',
        `${backup} isn't the backup that ${backup}.json describes: its SHA-256 differs. Nothing was changed; take another copy of it.`,
      );
    }
    // A file's own time is often that of its latest copy.
    const takenAt = record?.takenAt;
    const what = takenAt === undefined ? 'a backup' : `a backup of ${takenAt}`;
    const prepared = await prepareCopy(copy, backup, pauseOf(what));
    const aside = freeName(file);
    replaceDatabase(copy, file, aside);
    const { contents, lastChange } = prepared;
    context.stdout.write(formatTable(restoredRows(contents, lastChange), 'lr'));
    const { stderr } = context;
    const asOf = takenAt === undefined ? '' : `, as of ${takenAt}`;
    stderr.write(`Restored ${file} from ${backup}${asOf}.\n`);
    if (record === undefined) {
      stderr.write(
        `Without ${backup}.json, its digest could not be compared, and we don't know when it was taken: the last change in it, as above, is the latest that it surely has.\n`,
      );
    }
    if (existsSync(aside))
      stderr.write(`The database before is ${aside}; delete it when you don't need it.\n`);
    else if (existsSync(`${aside}-wal`))
      stderr.write(
        `The log of a database that was gone is ${aside}-wal; delete it when you don't need it.\n`,
      );
    reportPaused(prepared.paused, stderr);
    stderr.write(
      'API keys, linked wallets and role rules are as they were then: what was revoked, unlinked or erased since is back. Clients that follow changes from a later point start over.\n',
    );
    return 0;
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? failed(file, error) : error;
  } finally {
    if (copy !== undefined) dropWithLog(copy);
    interruption.dispose();
    leave();
  }
}

/** A name beside the file that nothing has. */
function freeName(file: string): string {
  const name = `${file}.before-${formatTime(wallSeconds()).replace(/[:-]/g, '')}`;
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name}-${number}`;
    if (!existsSync(free) && !existsSync(`${free}-wal`)) return free;
  }
}

function failed(file: string, cause: Error): RetryableError {
  const why = diskFault(file, cause) ?? `Can't restore ${file}: ${whyUnwritable(file, cause)}.`;
  return new RetryableError(`${why} What was there is unchanged.`, { cause });
}
