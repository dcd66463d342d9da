import { CsvError, type Parser, parse } from 'csv-parse';
import { messageOf } from '#base';
import { FileFault, ForeignFormat } from '#cli/import/foreign';
import { decompressed } from '#cli/import/inputs';
import { type InputLine, LINE_MAX_BYTES } from '#import';
import { createRowReader, type SheetPlan, type SheetRow } from '#import/sheet';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';

/** Characters that tell the separator. */
const HEAD_CHARACTERS = 16 * 1024;
const SEPARATORS = [',', ';', '\t'] as const;
/** A first line by which Excel is told the separator; it is no row. */
const EXCEL_SEPARATOR = /^sep=([,;\t|])\r?(?:\n|$)/i;

/** How a file's cells are separated, and its rows in groups. */
export interface SheetRows {
  readonly separator: string;
  readonly rows: AsyncIterable<readonly SheetRow[]>;
}

/**
 * Reads a spreadsheet's text, plain or gzip: cells separated by commas, semicolons or tabs, in quotes where they
 * contain those or line breaks. Rows without content are left out, but counted.
 * @throws ForeignFormat if it is a workbook or another format; FileFault, also as rows are read
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
    // People write a space behind a comma, before a quoted cell, too.
    ltrim: true,
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
  return fault instanceof CsvError ? new FileFault(faultText(fault, row), { cause: fault }) : fault;
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

const UTF_8 = 'utf-8';
/** Bytes that tell an encoding without a byte order mark. */
const HEAD_BYTES = 1024;

/**
 * Decodes text of a spreadsheet: UTF-8, or UTF-16 as "Unicode text" is, with a byte order mark or without. What isn't
 * of the encoding becomes U+FFFD.
 */
async function* decodedText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let head = new Uint8Array();
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    if (decoder !== undefined) {
      yield decoder.decode(chunk, { stream: true });
      continue;
    }
    head = Uint8Array.from(Buffer.concat([head, chunk]));
    if (head.length < HEAD_BYTES) continue;
    decoder = new TextDecoder(encodingOf(head));
    yield decoder.decode(head, { stream: true });
  }
  if (decoder === undefined) yield new TextDecoder(encodingOf(head)).decode(head);
  else yield decoder.decode();
}

function encodingOf(head: Uint8Array): string {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const start = head.subarray(0, HEAD_BYTES);
  // In UTF-16, every other byte of ASCII is zero.
  const zeros = [0, 1].map(
    (odd) => start.filter((byte, at) => at % 2 === odd && byte === 0).length,
  );
  const [even = 0, odd = 0] = zeros;
  if (odd > start.length / 4 && even === 0) return 'utf-16le';
  return even > start.length / 4 && odd === 0 ? 'utf-16be' : UTF_8;
}

/** A spreadsheet's rows as lines of an import, numbered as the spreadsheet shows them. */
export async function* sheetLines(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  plan: SheetPlan,
): AsyncGenerator<readonly InputLine[]> {
  const read = createRowReader(plan, createWalletParser(chains));
  const { rows } = await readRows(chunks);
  let isFirst = plan.hasHeader;
  for await (const group of rows) {
    const lines = group
      .slice(isFirst ? 1 : 0)
      .map((row) => lineOf(file, row, read(row.cells, row.row)));
    isFirst = false;
    yield lines;
  }
}

function lineOf(
  file: string,
  { cells, row }: SheetRow,
  event: ReturnType<ReturnType<typeof createRowReader>>,
): InputLine {
  if (event.kind === 'refused') {
    return { file, number: row, text: cells.join(', ').slice(0, 1024), refusal: event };
  }
  return { file, number: row, text: JSON.stringify(event) };
}
