import { closeSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { messageOf } from '#core/errors';
import type { InputLine } from '#core/import/importer';
import type { Refusal } from '#core/import/refusal';
import { writeFully } from './temp-file.ts';

/** Characters of a refused line that the report shows. */
const TEXT_MAX = 200;
const BUFFERED_LINES = 500;

/** Where refused lines are listed, one JSON object a line. */
export interface RefusalReport {
  add(line: InputLine, refusal: Refusal): void;
  /** Writes what is left; may be called twice. @returns what went wrong with the file, if anything did */
  close(): { fault: string | undefined };
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
 */
export function createReport(path: string): RefusalReport {
  let fd: number | undefined;
  let fault: string | undefined;
  let records: string[] = [];

  function write(): void {
    if (records.length === 0 || fault !== undefined) return;
    try {
      fd ??= openSync(path, 'w');
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
      return { fault };
    },
  };
}
