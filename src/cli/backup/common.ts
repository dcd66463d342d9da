import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readFileSync } from 'node:fs';
import { formatTime, UserError, wallSeconds } from '#base';
import { statIfThere, systemCodeOf } from '#base/process';
import type { CliContext } from '#cli/command';
import { count, counted, formatTable, size } from '#cli/format';
import type { Contents } from '#storage/sqlite';
import type { WebhookPause } from '#webhooks';

/** What a backup is, in a file of its own beside it. */
export interface BackupRecord {
  readonly sha256: string;
  readonly bytes: number;
  /** The version of Fathom that made it. */
  readonly fathom: string;
  readonly schema: number;
  /** ISO 8601. */
  readonly takenAt: string;
  readonly contents: Contents;
}

export const recordPath = (backup: string) => `${backup}.json`;

/**
 * The record beside a backup; undefined if there is none.
 * @throws UserError `wrong-usage` if it isn't one, `wrong-configuration` if this user may not read it
 */
export function readBackupRecord(backup: string): BackupRecord | undefined {
  const path = recordPath(backup);
  if (statIfThere(path) === undefined) return undefined;
  requireReadable(path);
  try {
    const found: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isRecord(found)) return found;
  } catch {}
  throw new UserError(
    'wrong-usage',
    `${path} isn't what "fathom backup" writes beside a backup. Without that file, restore can't compare the digest; move it away to restore all the same.`,
  );
}

/** @throws UserError `wrong-configuration` if this user may not read a file that is there */
export function requireReadable(path: string): void {
  try {
    closeSync(openSync(path, 'r'));
  } catch (error) {
    throw systemCodeOf(error) === 'EACCES' ? notReadable(path, error) : error;
  }
}

function notReadable(path: string, cause: unknown): UserError {
  const text = `This user may not read ${path}. Run it as a user who may.`;
  return new UserError('wrong-configuration', text, [], { cause });
}

function isRecord(found: unknown): found is BackupRecord {
  if (typeof found !== 'object' || found === null) return false;
  const { sha256, takenAt } = found as Partial<BackupRecord>;
  return /^[0-9a-f]{64}$/.test(String(sha256)) && /^[\d:.TZ-]{20,24}$/.test(String(takenAt));
}

/** SHA-256 of a file, as `sha256sum` prints it. */
export async function digestOf(path: string): Promise<string> {
  const sum = createHash('sha256');
  for await (const part of createReadStream(path, { highWaterMark: 1024 * 1024 })) sum.update(part);
  return sum.digest('hex');
}

export function recordTable({ sha256, bytes, fathom, schema, takenAt, contents }: BackupRecord) {
  return formatTable(
    [
      ['sha256', sha256],
      ['size', `${size(bytes)} (${count(bytes)} bytes)`],
      ['made by', `Fathom ${fathom}, schema ${schema}`],
      ['taken at', takenAt],
      ...countBackupRows(contents),
    ],
    'll',
  );
}

function countBackupRows(contents: Contents): string[][] {
  return Object.entries(contents).map(([name, number]) => [name, count(number)]);
}

/** What was restored, up to when. @param lastChange undefined if nothing was ever imported */
export function restoredRows(contents: Contents, lastChange: number | undefined): string[][] {
  const rows = countBackupRows(contents);
  return lastChange === undefined ? rows : [...rows, ['last change', formatTime(lastChange)]];
}

/** @param what the database was restored from: `a backup` */
export function pauseOf(what: string): WebhookPause {
  return {
    at: wallSeconds(),
    reason: `The database was restored from ${what}; the receiver may know of changes that are gone. Let it read the boards again.`,
  };
}

/** Says what to do about them. */
export function reportPaused(paused: number, stderr: CliContext['stderr']): void {
  if (paused === 0) return;
  stderr.write(
    `${counted(paused, 'webhook is', 'webhooks are')} paused. Once a receiver has read the boards again, run "fathom webhooks resume ID".\n`,
  );
}

/** A shell knows nothing of a .env. */
const CLIENT =
  'Its own programs do that, of the same major version as the server or a newer one, with DATABASE_URL exported:';

/** Postgres has better programs for it than we could write. */
export function useDump(): UserError {
  return new UserError(
    'wrong-usage',
    `DATABASE_URL is a Postgres. ${CLIENT}

  pg_dump --format=custom --no-owner --schema=fathom --file=FILE "$DATABASE_URL"

It takes one consistent snapshot while replicas serve. "pg_restore --list FILE" shows what is in it.`,
  );
}

export function useRestore(): UserError {
  return new UserError(
    'wrong-usage',
    `DATABASE_URL is a Postgres. ${CLIENT} stop all replicas, then

  psql "$DATABASE_URL" -c 'ALTER SCHEMA fathom RENAME TO fathom_before'
  pg_restore --no-owner --single-transaction --dbname="$DATABASE_URL" FILE
  fathom restore

The first puts the database aside, if there is one: what a newer version added to it would be in the way. The second
restores everything or nothing: if it fails, run it again, or bring back what there was with
psql "$DATABASE_URL" -c 'ALTER SCHEMA fathom_before RENAME TO fathom'. Until then no replica starts. The third, without a file, checks what is there and pauses the webhooks, as their
receivers may know of changes that are gone. Then: psql "$DATABASE_URL" -c 'DROP SCHEMA fathom_before CASCADE'`,
  );
}
