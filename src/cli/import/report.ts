import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf, UNFIT, UserError } from '#base';
import { statIfThere } from '#base/process';
import { count, formatTable } from '#cli/format';
import { diskFault, writeFully } from '#cli/new-file';
import { databaseFile } from '#cli/store';
import type { InputLine, LineRefusal, RefusalCode } from '#import';

/** Most characters of a refused line in the report. */
const TEXT_MAX = 200;
const BUFFERED_LINES = 500;
/** Characters of a report, about: a file that is wrong as a whole needs no report of its own size. */
const REPORT_MAX = 16_000_000;
/** Most names to try for a new report. */
const NAMES_TRIED = 10_000;

/** Lists refused lines, one JSON object per line. */
export interface RefusalReport {
  add(line: InputLine, refusal: LineRefusal): void;
  /**
   * Writes the rest; may be called twice.
   * @returns the file name, the write error, if any, and how many refused lines it had no room for
   */
  close(): { path: string; fault: string | undefined; left: number };
}

/** `data/activities.ndjson.gz` → `activities.refused.ndjson`, `-` → `stdin.refused.ndjson` */
export function reportNameFor(input: string): string {
  const stem = basename(input)
    .replace(/\.gz$/i, '')
    .replace(/\.(ndjson|jsonl|json|csv|tsv)$/i, '');
  return `${input === '-' ? 'stdin' : stem}.refused.ndjson`;
}

/**
 * Folders to try for a report, in order: the current one; the database's, which persists if the current
 * one belongs to a container or is read-only; and the one for temporary files.
 */
export function reportFoldersFor(databaseUrl: string): string[] {
  const file = databaseFile(databaseUrl);
  return ['', ...(file === undefined ? [] : [dirname(resolve(file))]), tmpdir()];
}

/**
 * A report, created when the first line is refused. If it can't be written, the import continues and
 * `close` returns the error.
 * @param folders undefined to replace the file `name`; otherwise a new file in the first writable of
 * these folders, under another name, such as `stdin.refused-2.ndjson`, if the file exists, so that
 * imports in one folder keep separate reports
 * @param most characters, about; the last record then says how many lines it leaves out
 */
export function createReport(
  name: string,
  folders?: readonly string[],
  most = REPORT_MAX,
): RefusalReport {
  let path = name;
  let fd: number | undefined;
  let written = 0;
  let fault: string | undefined;
  let records: string[] = [];
  let room = most;
  let left = 0;
  let isClosed = false;

  function write(): void {
    if (records.length === 0 || fault !== undefined) return;
    const bytes = Buffer.from(records.join(''));
    try {
      if (fd === undefined) ({ path, fd } = beginReport(name, folders, bytes));
      else writeFully(fd, bytes);
      written += bytes.length;
    } catch (error) {
      fault = diskFault(path, error) ?? messageOf(error);
      if (fd !== undefined) endAt(fd, written);
    }
    records = [];
  }

  return {
    add(line, { code, reason }) {
      if (fault !== undefined) return;
      if (room <= 0) {
        left += 1;
        return;
      }
      const { file, number } = line;
      // For a line that the ledger refused, we no longer have the text.
      const text = line.text === '' ? undefined : line.text.slice(0, TEXT_MAX).toWellFormed();
      const record = `${visible(JSON.stringify({ file, line: number, code, reason, text }))}\n`;
      room -= record.length;
      records.push(record);
      if (fd === undefined || records.length >= BUFFERED_LINES) write();
    },
    close() {
      if (left > 0 && !isClosed) {
        const reason = `This report is full: ${left} more lines were refused. Correct these, and import again.`;
        records.push(`${JSON.stringify({ code: 'report-full', reason, left })}\n`);
      }
      isClosed = true;
      write();
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      return { path, fault, left };
    },
  };
}

/** JSON in which what a terminal would obey is escaped: people read a report there. */
function visible(json: string): string {
  return json.replace(UNFIT, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Creates a report with its first lines.
 * @throws Error of the first folder, where the report was looked for, if none will do; nothing new is left there
 */
function beginReport(
  name: string,
  folders: readonly string[] | undefined,
  bytes: Uint8Array,
): { path: string; fd: number } {
  if (folders === undefined) {
    const isNew = !existsSync(name);
    return begun({ path: name, fd: openSync(name, 'w') }, bytes, isNew);
  }
  let first: unknown;
  for (const folder of folders) {
    try {
      return begun(openNew(join(folder, name)), bytes, true);
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

function begun(
  report: { path: string; fd: number },
  bytes: Uint8Array,
  isNew: boolean,
): { path: string; fd: number } {
  try {
    writeFully(report.fd, bytes);
    return report;
  } catch (error) {
    closeSync(report.fd);
    if (isNew) rmSync(report.path, { force: true });
    throw error;
  }
}

/** Leaves no part of a line behind. */
function endAt(fd: number, bytes: number): void {
  try {
    ftruncateSync(fd, bytes);
  } catch {
    // It isn't a file, but something such as /dev/stderr.
  }
}

function openNew(name: string): { path: string; fd: number } {
  for (let tried = 1; ; tried++) {
    const path = tried === 1 ? name : name.replace(/\.ndjson$/, `-${tried}.ndjson`);
    try {
      return { path, fd: openSync(path, 'wx') };
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (!isTaken || tried === NAMES_TRIED) throw error;
    }
  }
}

/** Lines that are told of one by one. */
const TOLD = 20;

/** The report, and what is told of it in the terminal, where a report may be lost with a container. */
export interface RefusalTally extends RefusalReport {
  /** The first refused lines, and how many there are of each reason; empty when none was refused. */
  summary(): string;
}

export function tallied(report: RefusalReport): RefusalTally {
  const first: string[] = [];
  const counts = new Map<RefusalCode, number>();
  let total = 0;
  return {
    add(line: InputLine, refusal: LineRefusal) {
      total += 1;
      counts.set(refusal.code, (counts.get(refusal.code) ?? 0) + 1);
      if (first.length < TOLD) first.push(`  ${line.file}:${line.number}: ${refusal.reason}\n`);
      report.add(line, refusal);
    },
    close: () => report.close(),
    summary() {
      if (total === 0) return '';
      const more = total - first.length;
      const rows = [...counts].toSorted(([, a], [, b]) => b - a);
      return [
        'Refused lines:\n',
        ...first,
        more > 0 ? `  and ${count(more)} more\n` : '',
        'By reason:\n',
        formatTable(
          rows.map(([code, lines]) => [`  ${code}`, count(lines)]),
          'lr',
        ),
      ].join('');
    },
  };
}

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
  const stats = statIfThere(path);
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
