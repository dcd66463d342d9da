import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UserError } from '#base';

/** Files of a SQLite database: itself, its companions, and the marker of a running server. */
const DATABASE_SUFFIXES = ['', '-wal', '-shm', '-journal', '-served'] as const;
const SQLITE = 'sqlite:';
/** Longer than the first line of any report. */
const HEAD_BYTES = 64 * 1024;

/**
 * `--report` replaces its file, so that must be a new file, an earlier report, or not a regular file,
 * such as /dev/stderr.
 * @throws UserError `wrong-usage` if anything else would be overwritten
 */
export function requireReplaceable(
  report: string,
  inputs: readonly string[],
  databaseUrl: string,
): void {
  const target = canonicalPath(report);
  if (inputs.some((input) => canonicalPath(input) === target)) {
    throw new UserError('wrong-usage', `The report ${report} would replace an input file.`);
  }
  if (filesOf(databaseUrl).includes(target)) {
    throw new UserError('wrong-usage', `The report ${report} would replace the database.`);
  }
  if (!mayBeReport(report)) {
    throw new UserError(
      'wrong-usage',
      `The report would replace ${report}, which isn't an import report. Name a new file.`,
    );
  }
}

/** All files of the database, by its given name and, for a symlink, its real one. */
function filesOf(databaseUrl: string): string[] {
  if (!databaseUrl.startsWith(SQLITE)) return [];
  const file = databaseUrl.slice(SQLITE.length);
  return DATABASE_SUFFIXES.flatMap((suffix) => [
    canonicalPath(file) + suffix,
    canonicalPath(`${file}${suffix}`),
  ]);
}

/** Resolves symlinks, even for a file that doesn't exist yet. */
function canonicalPath(path: string): string {
  const real = realPath(path);
  if (real !== undefined) return real;
  const whole = resolve(path);
  return join(realPath(dirname(whole)) ?? dirname(whole), basename(whole));
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Whether it doesn't exist, isn't a regular file, is empty, or starts like a report. */
function mayBeReport(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.size === 0) return true;
  try {
    const record: unknown = JSON.parse(firstLineOf(path));
    return isRecord(record);
  } catch {
    return false;
  }
}

function isRecord(record: unknown): boolean {
  if (typeof record !== 'object' || record === null) return false;
  return ['file', 'line', 'code', 'reason'].every((name) => Object.hasOwn(record, name));
}

function firstLineOf(path: string): string {
  const fd = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const text = head.toString('utf8', 0, readSync(fd, head));
    return text.slice(0, text.indexOf('\n'));
  } finally {
    closeSync(fd);
  }
}
