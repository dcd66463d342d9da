import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UserError } from '#core/errors';

/** Of a database in a file: itself, what SQLite keeps beside it, and the sign of a server. */
const DATABASE_SUFFIXES = ['', '-wal', '-shm', '-journal', '-served'] as const;
const SQLITE = 'sqlite:';
/** More than the first line of a report has. */
const HEAD_BYTES = 64 * 1024;

/**
 * The file that `--report` names is replaced, so it may be a new one, an earlier report, or no file
 * on a disk at all, such as /dev/stderr.
 * @throws UserError `wrong-usage` where anything else would be lost
 */
export function requireReplaceable(
  report: string,
  inputs: readonly string[],
  databaseUrl: string,
): void {
  const target = placeOf(report);
  if (inputs.some((input) => placeOf(input) === target)) {
    throw new UserError('wrong-usage', `The report ${report} would replace an input file.`);
  }
  if (filesOf(databaseUrl).includes(target)) {
    throw new UserError('wrong-usage', `The report ${report} would replace the database.`);
  }
  if (!mayBeReport(report)) {
    throw new UserError(
      'wrong-usage',
      `The report would replace ${report}, which is no report of an import. Name a new file.`,
    );
  }
}

/** All that must not be written over, by both names of a database that a link points to. */
function filesOf(databaseUrl: string): string[] {
  if (!databaseUrl.startsWith(SQLITE)) return [];
  const file = databaseUrl.slice(SQLITE.length);
  return DATABASE_SUFFIXES.flatMap((suffix) => [
    placeOf(file) + suffix,
    placeOf(`${file}${suffix}`),
  ]);
}

/** Without links, also of a file that is not there yet. */
function placeOf(path: string): string {
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

/** Whether it is not there, is no file on a disk, is empty, or begins as a report does. */
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
