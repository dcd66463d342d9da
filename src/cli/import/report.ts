import { closeSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { messageOf } from '#core/errors';
import type { InputLine } from '#core/import/importer';
import type { Refusal } from '#core/import/refusal';
import { writeFully } from './temp-file.ts';

/** Characters of a refused line that the report shows. */
const TEXT_MAX = 200;
const BUFFERED_LINES = 500;
/** Names that are tried for a new report. */
const NAMES_TRIED = 10_000;

/** Where refused lines are listed, one JSON object a line. */
export interface RefusalReport {
  add(line: InputLine, refusal: Refusal): void;
  /**
   * Writes what is left; may be called twice.
   * @returns the file's name, and what went wrong with it, if anything did
   */
  close(): { path: string; fault: string | undefined };
}

/** `data/activities.ndjson.gz` → `activities.refused.ndjson`, `-` → `stdin.refused.ndjson` */
export function reportNameFor(input: string): string {
  const stem = basename(input)
    .replace(/\.gz$/i, '')
    .replace(/\.(ndjson|jsonl|json)$/i, '');
  return `${input === '-' ? 'stdin' : stem}.refused.ndjson`;
}

/**
 * A report that is made when the first line is refused. A report that can't be written stops no
 * import; `close` tells of it.
 * @param mode `new` takes another name, such as `stdin.refused-2.ndjson`, where the file is there
 * already, so that imports in one folder keep their reports apart
 */
export function createReport(name: string, mode: 'new' | 'replaced'): RefusalReport {
  let path = name;
  let fd: number | undefined;
  let fault: string | undefined;
  let records: string[] = [];

  function write(): void {
    if (records.length === 0 || fault !== undefined) return;
    try {
      if (fd === undefined) {
        ({ path, fd } = mode === 'new' ? openNew(name) : { path, fd: openSync(path, 'w') });
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
      const { file, number } = line;
      // Of a line that the ledger refused, the text is no longer held.
      const text = line.text === '' ? undefined : line.text.slice(0, TEXT_MAX).toWellFormed();
      records.push(`${JSON.stringify({ file, line: number, code, reason, text })}\n`);
      if (fd === undefined || records.length >= BUFFERED_LINES) write();
    },
    close() {
      write();
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      return { path, fault };
    },
  };
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
