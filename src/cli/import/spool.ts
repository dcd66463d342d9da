import { closeSync, createReadStream } from 'node:fs';
import { type InputLine, LINE_MAX_BYTES, type LineSpool } from '#import';
import { splitLines } from './split-lines.ts';
import { openUnnamedFile, writeTemporary } from './temp-file.ts';

const BUFFERED_CHARACTERS = 256 * 1024;
/** Escaping at most doubles a line; the record also holds the file name. */
const RECORD_MAX_BYTES = 4 * LINE_MAX_BYTES;

export interface FileSpool extends LineSpool {
  close(): void;
}

/** Buffers lines in an unnamed temporary file, created with the first line. */
export function createFileSpool(): FileSpool {
  let fd: number | undefined;
  let records: string[] = [];
  let characters = 0;

  function write(): void {
    fd ??= openUnnamedFile();
    writeTemporary(fd, Buffer.from(records.join('')));
    records = [];
    characters = 0;
  }

  return {
    push({ file, number, text }) {
      const record = `${JSON.stringify([file, number, text])}\n`;
      records.push(record);
      characters += record.length;
      if (characters >= BUFFERED_CHARACTERS) write();
    },
    async *drain() {
      if (records.length > 0) write();
      if (fd === undefined) return;
      const bytes = createReadStream('', { fd, start: 0, autoClose: false });
      for await (const group of splitLines('spool', bytes, RECORD_MAX_BYTES)) {
        yield group.map((line) => lineOf(line.text));
      }
    },
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

function lineOf(record: string): InputLine {
  const [file, number, text] = JSON.parse(record) as [string, number, string];
  return { file, number, text };
}
