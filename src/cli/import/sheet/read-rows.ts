import { CsvError, type Parser, parse } from 'csv-parse';
import { messageOf } from '#base';
import { decompressed } from '#cli/import/decompress';
import { ForeignFormat } from '#cli/import/foreign';
import { LINE_MAX_BYTES } from '#import';
import type { SheetRow } from '#import/sheet';
import { decodedText } from './decode.ts';

/** Characters that tell the separator. */
const HEAD_CHARACTERS = 16 * 1024;
const SEPARATORS = [',', ';', '\t'] as const;
/** A first line by which Excel is told the separator; it is no row. */
const EXCEL_SEPARATOR = /^sep=([,;\t|])\r?(?:\n|$)/i;

/** Of a file: how its cells are separated, and its rows in groups. */
export interface SheetRows {
  readonly separator: string;
  readonly rows: AsyncIterable<readonly SheetRow[]>;
}

/**
 * Reads a spreadsheet's text, plain or gzip: cells separated by commas, semicolons or tabs, in quotes where they
 * contain those or line breaks. Rows without content are left out, but counted.
 * @throws ForeignFormat if it is a workbook or another format
 */
export async function readRows(chunks: AsyncIterable<Uint8Array>): Promise<SheetRows> {
  const texts = decodedText(refuseWorkbooks(decompressed(chunks)));
  let head = '';
  let isWhole = false;
  while (head.length < HEAD_CHARACTERS && !isWhole) {
    const next = await texts.next();
    isWhole = next.done === true;
    head += next.value ?? '';
  }
  if (head.trim() === '') throw new ForeignFormat('this is empty: nothing was read');
  const [line = '', told] = EXCEL_SEPARATOR.exec(head) ?? [];
  const text = head.slice(line.length);
  const separator = told ?? separatorOf(text);
  return { separator, rows: rowsOf(text, texts, separator) };
}

async function* rowsOf(
  head: string,
  rest: AsyncGenerator<string>,
  separator: string,
): AsyncGenerator<readonly SheetRow[]> {
  let group: SheetRow[] = [];
  let last = 0;
  let fault: Error | undefined;
  const parser = parse({
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A quote within a cell is text, as in `12" pipe`.
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: LINE_MAX_BYTES,
    on_record(cells, { records, empty_lines }) {
      last = records + empty_lines;
      if (cells.some((cell) => cell.trim() !== '')) group.push({ cells, row: last });
      // As an output of the stream, rows before a fault would be lost with it.
      return null;
    },
  });
  parser.on('error', (error) => {
    fault = error;
  });
  const taken = () => {
    const rows = group;
    group = [];
    return rows;
  };

  try {
    // With no output to wait for, a row is parsed as soon as it's written.
    parser.write(head);
    for await (const text of rest) {
      yield taken();
      if (fault === undefined) parser.write(text);
      if (fault !== undefined) break;
    }
    if (fault === undefined) await ended(parser);
    yield taken();
  } finally {
    parser.destroy();
    await rest.return?.(undefined);
  }
  if (fault !== undefined) throw readable(fault, last + 1);
}

function ended(parser: Parser): Promise<void> {
  return new Promise((resolve) => {
    parser.once('error', () => resolve());
    parser.end(() => resolve());
    parser.resume();
  });
}

function readable(fault: Error, row: number): Error {
  return fault instanceof CsvError ? new Error(faultText(fault, row), { cause: fault }) : fault;
}

function faultText({ code, message }: CsvError, row: number): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `a quote in row ${row} is never closed`;
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return `row ${row} has more than ${LINE_MAX_BYTES} characters: perhaps a quote in it is never closed`;
  }
  return `row ${row} can't be read: ${messageOf(message)}`;
}

/** The separator that divides the first rows most evenly; a comma if none does. */
function separatorOf(text: string): string {
  const lines = text
    .replaceAll(/"(?:[^"]|"")*"/g, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '');
  const some = lines.slice(0, lines.length > 1 ? Math.min(20, lines.length - 1) : 1);
  const scored = SEPARATORS.map((separator) => {
    const counts = some.map((line) => line.split(separator).length - 1);
    const first = counts[0] ?? 0;
    const alike = first === 0 ? 0 : counts.filter((count) => count === first).length;
    return { separator, alike, first };
  });
  const [best] = scored.toSorted((a, b) => b.alike - a.alike || b.first - a.first);
  return best === undefined || best.alike === 0 ? ',' : best.separator;
}

const WORKBOOKS: readonly (readonly [bytes: string, name: string])[] = [
  ['PK\x03\x04', 'an Excel or LibreOffice workbook'],
  ['\xd0\xcf\x11\xe0', 'an old Excel workbook'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['PAR1', 'a Parquet file'],
];

/** @throws ForeignFormat before the first bytes */
async function* refuseWorkbooks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) {
      const head = Buffer.from(chunk.subarray(0, 16)).toString('latin1');
      const known = WORKBOOKS.find(([bytes]) => head.startsWith(bytes));
      if (known !== undefined) {
        throw new ForeignFormat(`this looks like ${known[1]}. Save the sheet as CSV (UTF-8)`);
      }
    }
    isFirst = false;
    yield chunk;
  }
}
