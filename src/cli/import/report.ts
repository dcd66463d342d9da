import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf, UNFIT } from '#base';
import { databaseFile } from '#cli/store';
import type { InputLine, LineRefusal } from '#import';
import { writeFully } from './temp-file.ts';

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
  let fault: string | undefined;
  let records: string[] = [];
  let room = most;
  let left = 0;
  let isClosed = false;

  function write(): void {
    if (records.length === 0 || fault !== undefined) return;
    try {
      if (fd === undefined) {
        ({ path, fd } = folders ? openFirst(name, folders) : { path, fd: openSync(path, 'w') });
      }
      writeFully(fd, Buffer.from(records.join('')));
    } catch (error) {
      fault = messageOf(error);
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

/** @throws Error of the first folder, where the report was looked for, if none will do */
function openFirst(name: string, folders: readonly string[]): { path: string; fd: number } {
  let first: unknown;
  for (const folder of folders) {
    try {
      return openNew(join(folder, name));
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
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
