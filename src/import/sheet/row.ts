import { formatTime } from '#base';
import { LineFault, type LineRefusal, refusal } from '#import/refusal';
import type { WalletParser } from '#wallet';
import {
  type CellTime,
  cellAddress,
  cellText,
  type DateOrder,
  isName,
  parseCellTime,
  shownCell,
} from './cells.ts';

/** A part of the source that a row's event gets. */
export type SourcePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'row' }
  | { readonly kind: 'address' }
  | { readonly kind: 'timestamp' }
  | { readonly kind: 'column'; readonly column: number };

/** How the rows of a spreadsheet become events. Columns count from 0. */
export interface SheetPlan {
  readonly separator: string;
  /** Whether the first row has the names of the columns. */
  readonly hasHeader: boolean;
  readonly event: string;
  readonly address: number;
  /** The column with the time, or one time for all rows, in seconds since 1970. */
  readonly time: { readonly column: number } | { readonly at: number };
  readonly source: readonly SourcePart[];
  readonly args: readonly { readonly name: string; readonly column: number }[];
  readonly order: DateOrder | undefined;
  readonly from1904: boolean;
  /** Undefined if it isn't known: then times without a zone are refused. */
  readonly zone: string | undefined;
  /** Which one a time is that clocks showed twice; undefined to refuse it. */
  readonly twice: 'earlier' | 'later' | undefined;
  /** Addresses by name, both as they are compared. */
  readonly names: readonly (readonly [name: string, address: string])[];
  /** Why the other names have no address, by name. */
  readonly unnamed: readonly (readonly [name: string, reason: string])[];
}

/** What a sheet's row is: its cells, and its number as a spreadsheet shows it, from 1. */
export interface SheetRow {
  readonly cells: readonly string[];
  readonly row: number;
}

/** How names are compared with each other. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

const QUARTER = 900;
const DAY = 86_400;
/** Moments whose offset is remembered: the days of half a century, with the quarters of hours of their changes. */
const REMEMBERED = 20_000;

/** What a clock on a wall showed, as moments. In seconds since 1970. */
type WallTime =
  | { readonly kind: 'once'; readonly seconds: number }
  /** Clocks were put forward past it, so none showed it. */
  | { readonly kind: 'never' }
  /** Clocks were put back, and showed it twice. */
  | { readonly kind: 'twice'; readonly earlier: number; readonly later: number };

/** A time zone with its changes of clocks. */
interface TimeZone {
  readonly name: string;
  /** @param wall what clocks showed, in seconds since 1970 as if it were UTC */
  at(wall: number): WallTime;
}

/** @returns undefined if there's no such time zone */
export function timeZone(name: string): TimeZone | undefined {
  if (/^(?:utc|gmt|z)$/i.test(name)) {
    return { name: 'UTC', at: (seconds) => ({ kind: 'once', seconds }) };
  }
  // Offsets alone, which newer engines take, would have no summer time.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  } catch {
    return undefined;
  }
  const offsets = new Map<number, number>();

  function remembered(moment: number): number {
    let offset = offsets.get(moment);
    if (offset === undefined) {
      offset = offsetOf(format, moment);
      if (offsets.size >= REMEMBERED) offsets.clear();
      offsets.set(moment, offset);
    }
    return offset;
  }

  function offsetAt(seconds: number): number {
    const day = Math.floor(seconds / DAY) * DAY;
    const offset = remembered(day);
    // No clock is put forward and back within a day, so in most of them nothing has to be asked.
    if (offset === remembered(day + DAY)) return offset;
    return remembered(Math.floor(seconds / QUARTER) * QUARTER);
  }

  return {
    name: format.resolvedOptions().timeZone,
    at(wall) {
      const offsetsAround = new Set([offsetAt(wall - DAY), offsetAt(wall + DAY)]);
      const moments = [...offsetsAround]
        .map((offset) => wall - offset)
        .filter((moment) => moment + offsetAt(moment) === wall)
        .toSorted((a, b) => a - b);
      const [earlier, later] = moments;
      if (earlier === undefined) return { kind: 'never' };
      if (later === undefined) return { kind: 'once', seconds: earlier };
      return { kind: 'twice', earlier, later };
    },
  };
}

/** Seconds that clocks there are ahead of UTC. */
function offsetOf(format: Intl.DateTimeFormat, seconds: number): number {
  const parts = new Map(
    format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return shown / 1000 - seconds;
}

/** A row as an event, before an import has validated it. */
interface SheetEvent {
  readonly kind: 'event';
  readonly address: string;
  readonly event: string;
  /** As in an import's line. */
  readonly timestamp: string;
  readonly source: string;
  readonly args?: Readonly<Record<string, string>>;
}

/** Turns a row into an event. Never throws, whatever the row contains. */
export type RowReader = (cells: readonly string[], row: number) => SheetEvent | LineRefusal;

/** What a decoder puts where bytes weren't of its encoding. */
const UNDECODED = '\ufffd';

/** A reader of rows. @throws RangeError for a time zone that doesn't exist */
export function createRowReader(plan: SheetPlan, wallets: WalletParser): RowReader {
  const zone = plan.zone === undefined ? undefined : timeZone(plan.zone);
  if (plan.zone !== undefined && zone === undefined) throw new RangeError('bug: no such time zone');
  const names = new Map(plan.names);
  const unnamed = new Map(plan.unnamed);

  function cellAt(cells: readonly string[], column: number, what: string): string {
    const text = cells[column] ?? '';
    if (!text.includes(UNDECODED)) return text;
    throw new LineFault(
      'not-utf-8',
      `The ${what} ${shownCell(text)} isn't readable. Save the file as "CSV UTF-8".`,
    );
  }

  function addressOf(cells: readonly string[]): string {
    const text = cellAddress(cellAt(cells, plan.address, 'address'));
    if (text === '') throw new LineFault('invalid-address', 'This row has no address.');
    const meant = names.get(nameKey(text));
    if (meant !== undefined) return meant;
    if (!isName(text)) {
      if (wallets.hasForm(text)) return text;
      throw new LineFault('invalid-address', `${shownCell(text)} isn't a wallet's address.`);
    }
    const why = unnamed.get(nameKey(text)) ?? 'It was not looked up.';
    throw new LineFault('unknown-name', `${shownCell(text)} is a name. ${why}`);
  }

  function timeOf(cells: readonly string[]): number {
    if ('at' in plan.time) return plan.time.at;
    const text = cellText(cellAt(cells, plan.time.column, 'time'));
    if (text === '') throw new LineFault('bad-timestamp', 'This row has no time.');
    const time = parseCellTime(text, plan);
    if (time === undefined) {
      const order = plan.order === undefined ? '' : ` with --date-order ${plan.order}`;
      throw new LineFault('bad-timestamp', `${shownCell(text)} isn't a time${order}.`);
    }
    return momentOf(time, text, plan, zone);
  }

  function read(cells: readonly string[], row: number): SheetEvent {
    const address = addressOf(cells);
    const timestamp = formatTime(timeOf(cells));
    const partText = (part: SourcePart): string => {
      if (part.kind === 'text') return part.text;
      if (part.kind === 'row') return String(row);
      if (part.kind === 'timestamp') return timestamp;
      // Spelt in one way, as it is a part of what identifies the event.
      if (part.kind === 'address') return wallets.parse(address).address;
      return cellText(cellAt(cells, part.column, 'source'));
    };
    const source = plan.source.map(partText).join('');
    const args = plan.args.map(
      ({ name, column }) => [name, cellText(cellAt(cells, column, name))] as const,
    );
    const given = args.filter(([, text]) => text !== '');
    return {
      ...{ kind: 'event', address, event: plan.event, timestamp, source },
      ...(given.length > 0 && { args: Object.fromEntries(given) }),
    };
  }

  return (cells, row) => {
    try {
      return read(cells, row);
    } catch (error) {
      if (error instanceof LineFault) return refusal(error.code, error.message);
      // Only a wallet's parser throws others.
      return refusal('invalid-address', error instanceof Error ? error.message : String(error));
    }
  };
}

/** @throws LineFault if it isn't one moment */
function momentOf(
  time: CellTime,
  text: string,
  { twice }: SheetPlan,
  zone: TimeZone | undefined,
): number {
  if (time.kind === 'moment' || time.kind === 'day') return time.seconds;
  const cell = shownCell(text);
  if (time.kind === 'either') {
    throw new LineFault(
      'ambiguous-time',
      `${cell} has two readings. Add --date-order dmy if the day comes first, or mdy if the month does.`,
    );
  }
  if (zone === undefined) {
    throw new LineFault(
      'ambiguous-time',
      `${cell} has no time zone. Add --time-zone, such as --time-zone Europe/Berlin or --time-zone UTC.`,
    );
  }
  const wall = zone.at(time.seconds);
  if (wall.kind === 'once') return wall.seconds;
  if (wall.kind === 'never') {
    throw new LineFault(
      'bad-timestamp',
      `${cell} doesn't exist in ${zone.name}: clocks were put forward past it.`,
    );
  }
  if (twice !== undefined) return wall[twice];
  throw new LineFault(
    'ambiguous-time',
    `${cell} was twice in ${zone.name}, as clocks were put back. Add --twice earlier (${formatTime(wall.earlier)}) or --twice later (${formatTime(wall.later)}).`,
  );
}
