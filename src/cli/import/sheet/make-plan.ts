import { basename } from 'node:path';
import type { Config } from '#app';
import { sanitizeText, UserError } from '#base';
import { count, counted, formatTable } from '#cli/format';
import { FileFault } from '#cli/import/foreign';
import { waitingFor } from '#cli/progress';
import {
  createRowReader,
  type DateOrder,
  guessColumns,
  parseCellTime,
  type SheetGuess,
  type SheetPlan,
  type SheetRow,
  type SheetSurvey,
  shownCell,
  surveyRows,
} from '#import/sheet';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { type Ask, Questions } from './ask.ts';
import { addressesOfNames, readNamesFile, type SheetNames } from './names.ts';
import {
  columnOf,
  EVENT_ADVICE,
  isEventName,
  type Preset,
  presetFor,
  requireZone,
  type SheetOptions,
  sourceParts,
} from './options.ts';
import { readRows } from './read-rows.ts';

/** Rows that tell what the columns are. */
const HEAD_ROWS = 200;

/** A sheet that can be read several times. */
interface SheetInput {
  readonly name: string;
  open(): AsyncIterable<Uint8Array>;
  /** Called while all rows are looked at, with their number so far. */
  onRows(rows: number): void;
  /** Called once all rows have been looked at, or one can't be read, before anything is asked or told. */
  onRead(): void;
}

export interface PlanOptions {
  readonly input: SheetInput;
  readonly options: SheetOptions;
  /** Undefined if nobody can answer. */
  readonly ask: Ask | undefined;
  readonly settings: Pick<
    Config,
    'ethereumRpcUrl' | 'solanaRpcUrl' | 'nfdApiUrl' | 'privateNetworks'
  >;
  readonly namesFile: string;
}

/** A plan, and what it was made from. */
export interface PlannedSheet {
  readonly plan: SheetPlan;
  readonly columns: readonly string[];
  readonly survey: SheetSurvey;
  readonly names: SheetNames;
  /** Options that would say what was guessed. */
  readonly guessed: readonly string[];
}

/**
 * Finds out how a sheet's rows become events: from options, a preset, the header and the rows, and by asking for what
 * those don't say.
 * @throws UserError `wrong-usage` if something isn't said and nobody can be asked
 */
export async function planSheet({
  input,
  options,
  ask,
  settings,
  namesFile,
}: PlanOptions): Promise<PlannedSheet> {
  const questions = new Questions(ask);
  const { separator, head } = await wholeFile(input.name, () => readHead(input));
  const guess = guessColumns(head, createWalletParser(chains));
  const { columns, hasHeader } = guess;
  const preset = options.preset ?? presetFor(columns);
  const address = await addressColumn(options, preset, guess, questions);
  const time = await timeColumn(options, preset, guess, questions);
  const event = await eventName(options, questions);
  const sourceText = options.source ?? preset?.source ?? `${event}:{timestamp}`;
  if (options.source === undefined) questions.guessed.push(`--source "${sourceText}"`);
  const source = sourceParts(sourceText, columns);
  const fields = new Set(['address', 'timestamp']);
  const args = [...options.map]
    .filter(([name]) => !fields.has(name))
    .map(([name, column]) => ({ name, column: columnOf(column, columns) }));

  const { from1904, twice } = options;
  const timeAt = typeof time === 'number' ? time : undefined;
  const looked = { hasHeader, address, time: timeAt, from1904 };
  const survey = await wholeFile(input.name, async () => {
    const { rows } = await readRows(input.open());
    return await surveyRows(rows, looked, input.onRows);
  }).finally(input.onRead);
  const order = await dateOrder(options, time, survey, questions);
  const zone = await timeZoneName(options, time, order, survey, questions);
  const kept = await readNamesFile(namesFile);
  const names = await waitingFor('the name services', () =>
    addressesOfNames(survey.names, kept, settings),
  );
  if (names.fresh.length > 0) questions.guessed.push('(names that were looked up)');
  const base = {
    ...{ separator, hasHeader, event, address, source, args, order, from1904, zone, twice },
    names: [...names.known],
    unnamed: [...names.unnamed],
  };
  const plan: SheetPlan = {
    ...base,
    time: typeof time === 'number' ? { column: time } : { at: commonTime(time.text, base) },
  };
  const map = mapText(options.map, questions.guessedColumns);
  return { plan, columns, survey, names, guessed: [...map, ...questions.guessed] };
}

/** Reads a file. @throws UserError `wrong-usage` that names it if it can't be read to its end */
async function wholeFile<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    throw refusalOf(name, error);
  }
}

function refusalOf(name: string, cause: FileFault): UserError {
  const sentence = `${name}: ${cause.message}. Nothing was imported.`;
  return new UserError('wrong-usage', sentence, [], { cause });
}

/** `--map` as it would say what was guessed; empty if nothing was. */
function mapText(
  told: ReadonlyMap<string, string>,
  guessed: ReadonlyMap<string, string>,
): readonly string[] {
  if (guessed.size === 0) return [];
  const pairs = [...guessed, ...told].map(
    ([field, column]) => `${field}="${sanitizeText(column, 40)}"`,
  );
  return [`--map '${pairs.join(',')}'`];
}

async function readHead({ open }: SheetInput): Promise<{ separator: string; head: SheetRow[] }> {
  const { separator, rows } = await readRows(open());
  const head: SheetRow[] = [];
  for await (const group of rows) {
    head.push(...group);
    if (head.length >= HEAD_ROWS) break;
  }
  return { separator, head: head.slice(0, HEAD_ROWS) };
}

const shown = (columns: readonly string[]) =>
  columns
    .slice(0, 30)
    .map((each) => `"${sanitizeText(each, 40)}"`)
    .join(', ');

async function addressColumn(
  { map }: SheetOptions,
  preset: Preset | undefined,
  { columns, addresses }: SheetGuess,
  questions: Questions,
): Promise<number> {
  const told = map.get('address') ?? preset?.map.address;
  if (told !== undefined) return columnOf(told, columns);
  const [only, second] = addresses;
  if (only !== undefined && second === undefined) {
    questions.guessedColumns.set('address', columns[only] ?? '');
    return only;
  }
  const found =
    only === undefined
      ? 'No column mostly has addresses'
      : `Columns ${shown(addresses.map((at) => columns[at] ?? ''))} have addresses`;
  return await questions.until(
    `${found}. Which column has them? There are ${shown(columns)}.`,
    '--map address=COLUMN',
    (answer) => columnOf(answer, columns),
  );
}

/** The column, or a time for all rows as it's written. */
async function timeColumn(
  { map, at }: SheetOptions,
  preset: Preset | undefined,
  { columns, times }: SheetGuess,
  questions: Questions,
): Promise<number | { readonly text: string }> {
  const told = map.get('timestamp');
  if (told !== undefined && at !== undefined) {
    throw new UserError('wrong-usage', 'Use either --at or timestamp in --map.');
  }
  if (at !== undefined) return { text: at };
  if (told !== undefined) return columnOf(told, columns);
  if (preset?.map.timestamp !== undefined) return columnOf(preset.map.timestamp, columns);
  const [only, second] = times;
  if (only !== undefined && second === undefined) {
    questions.guessedColumns.set('timestamp', columns[only] ?? '');
    return only;
  }
  const found =
    only === undefined
      ? 'No column has times'
      : `Columns ${shown(times.map((each) => columns[each] ?? ''))} have times`;
  return await questions.until(
    `${found}. When was it? Name a column, or a date for all rows, such as 2026-03-04.`,
    '--map timestamp=COLUMN, or --at 2026-03-04 for all rows',
    (answer) =>
      parseCellTime(answer) === undefined ? columnOf(answer, columns) : { text: answer },
  );
}

async function eventName({ event }: SheetOptions, questions: Questions): Promise<string> {
  if (event !== undefined) return event;
  return await questions.until(
    'What did these wallets do? Rules refer to it by a name such as workshop_attended.',
    '--event NAME',
    (answer) => {
      if (isEventName(answer)) return answer;
      throw new UserError('wrong-usage', EVENT_ADVICE);
    },
  );
}

async function dateOrder(
  options: SheetOptions,
  time: number | { readonly text: string },
  { orders }: SheetSurvey,
  questions: Questions,
): Promise<DateOrder | undefined> {
  if (options.order !== undefined) return options.order;
  const isAtEither = typeof time !== 'number' && parseCellTime(time.text)?.kind === 'either';
  if (orders.either.count === 0 && !isAtEither) return undefined;
  // A date such as 25/03/2026 in the same column proves how the others are meant.
  const [day, month] = [orders.dmy.count, orders.mdy.count];
  if (day > 0 && month === 0) return 'dmy';
  if (month > 0 && day === 0) return 'mdy';
  const example = typeof time === 'number' ? orders.either.example : time.text;
  return await questions.until(
    `Dates such as "${sanitizeText(example, 40)}" have two readings. Does the day come first (dmy) or the month (mdy)?`,
    '--date-order dmy or --date-order mdy',
    (answer) => {
      const found = (['dmy', 'mdy'] as const).find((each) => each === answer.toLowerCase());
      if (found !== undefined) return found;
      throw new UserError('wrong-usage', 'Answer dmy or mdy.');
    },
  );
}

async function timeZoneName(
  { zone, from1904 }: SheetOptions,
  time: number | { readonly text: string },
  order: DateOrder | undefined,
  { walls }: SheetSurvey,
  questions: Questions,
): Promise<string | undefined> {
  if (zone !== undefined) return zone;
  const isAtWall =
    typeof time !== 'number' && parseCellTime(time.text, { order, from1904 })?.kind === 'wall';
  if (walls === 0 && !isAtWall) return undefined;
  return await questions.until(
    'Times have no time zone. Which one are they in, such as Europe/Berlin or UTC?',
    '--time-zone ZONE',
    (answer) => {
      requireZone(answer);
      return answer;
    },
  );
}

const ANY_ADDRESS = `0x${'0'.repeat(40)}`;

/** @throws UserError `wrong-usage` if the time of all rows isn't one moment */
function commonTime(text: string, plan: Omit<SheetPlan, 'time'>): number {
  const wallets = createWalletParser(chains);
  // Read like a cell, so that both are understood alike.
  const only: SheetPlan = { ...plan, address: 0, time: { column: 1 }, source: [], args: [] };
  const event = createRowReader(only, wallets)([ANY_ADDRESS, text], 1);
  if (event.kind === 'refused') throw new UserError('wrong-usage', `--at: ${event.reason}`);
  return Date.parse(event.timestamp) / 1000;
}

/** Names shown before they count; a file has them all. */
const SHOWN_NAMES = 50;
const SEPARATOR_NAMES: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
};

interface Preview {
  readonly file: string;
  readonly plan: SheetPlan;
  readonly columns: readonly string[];
  readonly survey: SheetSurvey;
  readonly names: SheetNames;
}

/** What an import understood of a sheet, for people: its first rows as events, and names with their addresses. */
export function previewText({ file, plan, columns, survey, names }: Preview): string {
  const column = (at: number) => shownCell(columns[at] ?? '');
  const time = 'at' in plan.time ? 'the same for all rows' : column(plan.time.column);
  const separator = SEPARATOR_NAMES[plan.separator] ?? shownCell(plan.separator);
  const header = plan.hasHeader
    ? 'the first one has the names of the columns'
    : 'no names of columns';
  const lines: [string, string][] = [
    ['Rows', `${count(survey.rows)}, separated by ${separator}; ${header}`],
    ['Address', column(plan.address)],
    ['Time', `${time}${plan.zone === undefined ? '' : `, in ${plan.zone}`}`],
  ];
  if (plan.order !== undefined && survey.orders.either.count > 0)
    lines.push(['Dates', orderText(plan, survey)]);
  const source = plan.source.map((part) =>
    part.kind === 'text'
      ? part.text
      : `{${part.kind === 'column' ? (columns[part.column] ?? '') : part.kind}}`,
  );
  lines.push(['Source', sanitizeText(source.join(''), 80)]);
  const asked = plan.args.map(({ name, column: at }) => `${name} from ${column(at)}`);
  lines.push([
    'Arguments',
    asked.length === 0 ? 'none: other columns are left out' : asked.join(', '),
  ]);
  return [
    `${sanitizeText(basename(file), 60)}\n`,
    formatTable(
      lines.map(([word, text]) => [`  ${word}`, text]),
      'll',
    ),
    '\n',
    firstRows(plan, survey),
    namesText(names),
  ].join('');
}

function orderText({ order }: SheetPlan, { orders }: SheetSurvey): string {
  const words = order === 'dmy' ? 'the day first' : 'the month first';
  const proof = order === undefined ? undefined : orders[order];
  if (proof === undefined || proof.count === 0) return words;
  return `${words}, as in ${shownCell(proof.example)} in this file`;
}

function firstRows(plan: SheetPlan, { first }: SheetSurvey): string {
  const read = createRowReader(plan, createWalletParser(chains));
  const rows = first.map(({ cells, row }) => {
    const event = read(cells, row);
    if (event.kind === 'refused') return [String(row), `refused: ${event.reason}`];
    const args = Object.entries(event.args ?? {}).map(([name, text]) => `${name}=${text}`);
    const cellsShown = [event.address, event.event, event.timestamp, event.source, args.join(' ')];
    return [String(row), ...cellsShown.map((cell) => sanitizeText(cell, 64))];
  });
  const heading = [
    'ROW',
    'ADDRESS',
    'EVENT',
    'TIME',
    'SOURCE',
    plan.args.length === 0 ? '' : 'ARGUMENTS',
  ];
  const good = rows.filter((row) => row.length > 2);
  const bad = rows.filter((row) => row.length === 2).map((row) => `Row ${row.join(' ')}\n`);
  return (good.length === 0 ? '' : formatTable([heading, ...good], 'rlllll')) + bad.join('');
}

function namesText({ known, fresh, unnamed }: SheetNames): string {
  if (known.size + unnamed.size === 0) return '';
  const row = (name: string) => [`  ${sanitizeText(name, 40)}`, known.get(name) ?? ''];
  const parts: string[] = [];
  const kept = known.size - fresh.length;
  if (kept > 0)
    parts.push(
      `${counted(kept, 'name has its', 'names have their')} address from an earlier import.\n`,
    );
  if (fresh.length > 0) {
    parts.push('Looked up just now:\n', formatTable(fresh.slice(0, SHOWN_NAMES).map(row), 'll'));
    if (fresh.length > SHOWN_NAMES) parts.push(`  and ${count(fresh.length - SHOWN_NAMES)} more\n`);
  }
  if (unnamed.size > 0) {
    const [name = '', reason = ''] = [...unnamed][0] ?? [];
    parts.push(
      `${counted(unnamed.size, 'name has', 'names have')} no address, such as ${shownCell(name)}. ${reason}\n`,
    );
  }
  return `\n${parts.join('')}`;
}
