import { createRequire } from 'node:module';
import type * as csvParse from 'csv-parse/sync';
import { UserError } from '#base';
import { beat } from '#cluster';
import type { AddressList } from '#scoring/compile/sources';
import type { Wallet, WalletParser } from '#wallet';
import type { Steps } from './steps.ts';

/** Bytes parsed in a step: some milliseconds. */
const STEP_BYTES = 16 * 1024;

/** A row of a table, which may go over several lines where a cell in quotes does. */
interface CsvRecord {
  readonly cells: readonly string[];
  /** Its last line, from 1. */
  readonly line: number;
}

/** A cell whose quote is never closed, so that all after it would be part of it. */
interface UnclosedQuote {
  readonly unclosedFrom: number;
}

/**
 * Reads CSV as RFC 4180 and spreadsheets have it: separated by commas, semicolons or tabs, cells in quotes with
 * line breaks in them, any line endings, a byte order mark. Blank lines are left out.
 *
 * It's read in windows. The last record of a window may go on, so the next one begins with it.
 * @param take called with each record, in order; false ends the reading
 */
export function* csvRecordSteps(
  text: string,
  take: (record: CsvRecord) => boolean,
): Steps<UnclosedQuote | undefined> {
  const bytes = Buffer.from(text);
  let [from, line, size] = [0, 0, STEP_BYTES];
  while (from < bytes.length) {
    const isLast = from + size >= bytes.length;
    const { found, isUnclosed } = readWindow(bytes.subarray(from, from + size));
    if (!isLast) found.pop();
    const start = from;
    for (const { cells, end } of found) {
      line += lineEnds(bytes, from, start + end);
      from = start + end;
      const isEnded = END.has(bytes[from - 1] ?? 0);
      if (!take({ cells, line: isEnded ? line : line + 1 })) return undefined;
    }
    if (isLast) return isUnclosed ? { unclosedFrom: line + 1 } : undefined;
    size = found.length === 0 ? size * 2 : STEP_BYTES;
    yield;
  }
  return undefined;
}

const [CR, LF] = [0x0d, 0x0a];
const END = new Set([CR, LF]);

/** The parser counts a line break of two characters twice where it's in quotes. */
function lineEnds(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) count++;
  }
  return count;
}

interface WindowRecord extends Pick<CsvRecord, 'cells'> {
  /** Bytes up to its end, its line ending included. */
  readonly end: number;
}

// Loaded when there's a list: most rules have none.
const load = createRequire(import.meta.url);

function readWindow(bytes: Buffer): { found: WindowRecord[]; isUnclosed: boolean } {
  const { CsvError, parse }: typeof csvParse = load('csv-parse/sync');
  const found: WindowRecord[] = [];
  try {
    parse(bytes, {
      bom: true,
      delimiter: [',', ';', '\t'],
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      // A quote within a cell is text, as in `12" pipe`, and so is what follows one, as in `"Bob" the builder`: with
      // spaces trimmed there, the parser would give up.
      relax_quotes: true,
      skip_empty_lines: true,
      ltrim: true,
      on_record(cells: string[], { bytes: end }) {
        beat();
        found.push({ cells, end });
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error;
    return { found, isUnclosed: true };
  }
  return { found, isUnclosed: false };
}

const FAULTS_MOST = 5;

/**
 * Reads a CSV file with addresses in its first column; the first record may be `address`. In small steps, between
 * which others can have their turn: a million addresses take seconds, and a process that sends no heartbeats
 * meanwhile loses its claims.
 */
export function* addressListSteps(text: string, wallets: WalletParser): Steps<AddressList> {
  const found = new Map<string, Wallet>();
  const faults: { line: number; message: string }[] = [];
  let isFirst = true;
  const unclosed = yield* csvRecordSteps(text, ({ cells: [first = '', ...others], line }) => {
    // Behind a closing quote, a space makes both quotes a part of the cell.
    const cell = first.trim().replace(/^"(.*)"$/s, '$1');
    // By which Excel is told the separator.
    if (isFirst && cell.toLowerCase() === 'sep=') return true;
    const isHeader = isFirst && cell.toLowerCase() === 'address';
    isFirst = false;
    // Spreadsheets write empty rows as separators alone.
    if (isHeader || (cell === '' && others.every((each) => each.trim() === ''))) return true;
    if (cell === '') {
      faults.push({ line, message: 'The first column, where the address belongs, is empty here.' });
      return faults.length < FAULTS_MOST;
    }
    try {
      const wallet = wallets.parse(cell);
      found.set(`${wallet.chain}:${wallet.address}`, wallet);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      faults.push({ line, message: error.message });
    }
    return faults.length < FAULTS_MOST;
  });
  if (unclosed !== undefined) {
    const message = 'A quotation mark is opened here and never closed.';
    faults.push({ line: unclosed.unclosedFrom, message });
  }
  return { wallets: [...found.values()], faults };
}
