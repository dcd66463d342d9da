import type { WalletParser } from '#wallet';
import {
  type CellTime,
  cellAddress,
  cellText,
  type DateOrder,
  isName,
  parseCellTime,
  type TimeOptions,
} from './cells.ts';
import { nameKey, type SheetRow } from './row.ts';

/** Names that are looked up for one sheet. */
const NAMES_MAX = 5_000;

/** What all rows of a sheet say before any of them counts. */
export interface SheetSurvey {
  rows: number;
  /** The first rows below the header. */
  readonly first: SheetRow[];
  /** Names instead of addresses, as they are written, by how they are compared. */
  readonly names: Map<string, string>;
  /** Names that there was no room for. */
  namesLeft: number;
  /** Dates that have one reading, by their order, and dates that have two; each with an example. */
  readonly orders: Record<DateOrder | 'either', { count: number; example: string }>;
  /** Times without a zone. */
  walls: number;
}

const SHOWN_ROWS = 5;

export interface SurveyedColumns extends Pick<TimeOptions, 'from1904'> {
  readonly hasHeader: boolean;
  readonly address: number;
  /** Undefined if all rows get the same time. */
  readonly time: number | undefined;
}

/**
 * Looks at all rows of a sheet, keeping no more than a bounded part of them.
 * @param onRows called with the number of rows so far
 */
export async function surveyRows(
  rows: AsyncIterable<readonly SheetRow[]>,
  columns: SurveyedColumns,
  onRows: (rows: number) => void,
): Promise<SheetSurvey> {
  const none = () => ({ count: 0, example: '' });
  const survey: SheetSurvey = {
    rows: 0,
    first: [],
    names: new Map(),
    namesLeft: 0,
    orders: { dmy: none(), mdy: none(), either: none() },
    walls: 0,
  };
  let isHeader = columns.hasHeader;
  for await (const group of rows) {
    for (const row of group) {
      if (!isHeader) add(survey, row, columns);
      isHeader = false;
    }
    onRows(survey.rows);
  }
  return survey;
}

function add(survey: SheetSurvey, row: SheetRow, columns: SurveyedColumns): void {
  survey.rows += 1;
  if (survey.first.length < SHOWN_ROWS) survey.first.push(row);
  addName(survey, cellAddress(row.cells[columns.address] ?? ''));
  if (columns.time === undefined) return;
  const text = cellText(row.cells[columns.time] ?? '');
  const time = parseCellTime(text, columns);
  if (time !== undefined) addTime(survey, time, text);
}

function addName(survey: SheetSurvey, text: string): void {
  if (!isName(text)) return;
  const key = nameKey(text);
  if (survey.names.size < NAMES_MAX) survey.names.set(key, text);
  else if (!survey.names.has(key)) survey.namesLeft += 1;
}

function addTime(survey: SheetSurvey, time: CellTime, text: string): void {
  if (time.kind === 'wall' || (time.kind === 'either' && time.hasTime)) survey.walls += 1;
  const order = time.kind === 'either' ? time.kind : time.order;
  if (order === undefined) return;
  const seen = survey.orders[order];
  seen.count += 1;
  if (seen.count === 1) seen.example = text;
}

/** What the first rows of a sheet say about its columns. */
export interface SheetGuess {
  readonly hasHeader: boolean;
  /** Names of the columns: of the header, else their numbers, from 1. */
  readonly columns: readonly string[];
  /** Columns that mostly have addresses; the likeliest first. */
  readonly addresses: readonly number[];
  /** Columns that mostly have times; the likeliest first. */
  readonly times: readonly number[];
}

const ADDRESS_WORDS =
  /wallet|address|account|owner|collection|recipient|holder|participant|\bens\b|direcci[oó]n|cartera|billetera|monedero|cuenta/i;
const TIME_WORDS =
  /time|date|when|check(?:ed)?[ _-]?in|created|minted|minting|claimed|completed|joined|attended|registered|fecha|hora|cu[aá]ndo|asisti/i;
const NUMBER = /^\d+(?:[.,]\d+)?$/;
/** A share of the cells that aren't empty. */
const MOSTLY = 0.6;

/** Judges columns by their content first, then by their names. @param rows the first ones */
export function guessColumns(rows: readonly SheetRow[], wallets: WalletParser): SheetGuess {
  const isAddress = (cell: string) => {
    const text = cellAddress(cell);
    return wallets.hasForm(text) || isName(text);
  };
  const first = rows[0]?.cells ?? [];
  const hasHeader = !first.some((cell) => isAddress(cell));
  const body = hasHeader ? rows.slice(1) : rows;
  const width = Math.max(first.length, ...body.map(({ cells }) => cells.length));
  const columns = Array.from({ length: width }, (_, i) => {
    const name = hasHeader ? cellText(first[i] ?? '') : '';
    return name === '' ? String(i + 1) : name;
  });

  function mostly(is: (cell: string, column: number) => boolean, words: RegExp): number[] {
    const scored = columns.map((name, column) => {
      const cells = body
        .map(({ cells }) => cellText(cells[column] ?? ''))
        .filter((cell) => cell !== '');
      const share = cells.filter((cell) => is(cell, column)).length / Math.max(1, cells.length);
      return { column, share, isNamed: hasHeader && words.test(name) };
    });
    const found = scored.filter(({ share }) => share >= MOSTLY);
    const named = found.filter(({ isNamed }) => isNamed);
    return (named.length > 0 ? named : found)
      .toSorted((a, b) => b.share - a.share || a.column - b.column)
      .map(({ column }) => column);
  }

  const addresses = mostly(isAddress, ADDRESS_WORDS);
  const times = mostly((cell, column) => {
    if (addresses.includes(column)) return false;
    // Any number could be one of Excel's dates: only a column with such a name has them.
    if (NUMBER.test(cell) && !TIME_WORDS.test(columns[column] ?? '')) return false;
    return parseCellTime(cell) !== undefined;
  }, TIME_WORDS);
  return { hasHeader, columns, addresses, times };
}
