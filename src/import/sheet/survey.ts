import { type CellTime, type DateOrder, parseCellTime, type TimeOptions } from './cell-time.ts';
import { cellAddress, cellText, isName } from './cells.ts';
import { nameKey, type SheetRow } from './plan.ts';

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
