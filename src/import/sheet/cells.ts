import { parseIsoTime, sanitizeText } from '#base';
import { addressOf, pastedAddress } from '#wallet';

/** Spaces of any kind, and what can't be seen. */
const AROUND = /^[\s\p{Cf}]$/u;
/** `="0x…"` keeps a spreadsheet from changing a cell. */
const KEPT_AS_TEXT = /^="(.*)"$/;
/** `erin.eth`: labels joined by dots, ending in letters. Addresses of email have an @. */
const NAME = /^[^\s@/:.]+(?:\.[^\s@/:.]+)*\.\p{L}{2,}$/u;
const NAME_MAX = 255;
/** An explorer's URL has fewer characters; what is longer has no address that anybody meant. */
const PASTED_MAX = 2_048;

/** A cell's text without what spreadsheets put around it. */
export function cellText(cell: string): string {
  const text = trimmed(cell);
  // An apostrophe at the beginning makes a cell a text.
  return text.startsWith("'") ? text.slice(1) : (KEPT_AS_TEXT.exec(text)?.[1] ?? text);
}

/** The address in a cell, in an explorer's URL or with its network too; otherwise the cell's text. */
export function cellAddress(cell: string): string {
  const text = cellText(cell);
  return text.length > PASTED_MAX ? text : (addressOf(text) ?? pastedAddress(text));
}

/** Whether a cell has a name such as `erin.eth` instead of an address. */
export function isName(text: string): boolean {
  return text.length <= NAME_MAX && NAME.test(text);
}

/** A cell as it may be shown in a terminal: on one line, in quotes, not too long. */
export function shownCell(text: string, longest = 40): string {
  return `"${sanitizeText(text, longest)}"`;
}

/** Sign by sign from both ends: an expression would try every space within a long cell as the beginning of its end. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && AROUND.test(signAt(text, from))) from += signAt(text, from).length;
  while (to > from && AROUND.test(signBefore(text, to))) to -= signBefore(text, to).length;
  return text.slice(from, to);
}

function signAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function signBefore(text: string, end: number): string {
  const pair = text.slice(Math.max(0, end - 2), end);
  return pair.length === 2 && (pair.codePointAt(0) ?? 0) > 0xffff ? pair : text.slice(end - 1, end);
}

/** Which comes first in a date such as 03/04/2026. */
export type DateOrder = 'dmy' | 'mdy';

export interface TimeOptions {
  /** Undefined if it isn't known: then a date that has two readings is none. */
  readonly order?: DateOrder | undefined;
  /** Whether serial numbers count from 1904, as in old workbooks of Excel for Mac. */
  readonly from1904?: boolean | undefined;
}

/** What a cell says, in seconds since 1970. */
export type CellTime =
  /** A moment. `order` is the order of its date if only one is possible. */
  | { readonly kind: 'moment'; readonly seconds: number; readonly order?: DateOrder }
  /** A date alone: 00:00 UTC of that day, as days are UTC. */
  | { readonly kind: 'day'; readonly seconds: number; readonly order?: DateOrder }
  /** What clocks on a wall showed, as if they were in UTC. */
  | { readonly kind: 'wall'; readonly seconds: number; readonly order?: DateOrder }
  /** A date with two readings. */
  | { readonly kind: 'either'; readonly hasTime: boolean };

const DAY = 86_400;
/** Days from Excel's epochs to 1970. */
const FROM_1900 = 25_569;
const FROM_1904 = 24_107;
/** Serial numbers up to the year 2199; larger ones are no dates that anybody means. */
const SERIAL_MAX = 109_574;

const NUMBER = /^\d{1,6}(?:[.,]\d{1,15})?$/;
const UNIX_SECONDS = /^\d{10}$/;
const UNIX_MILLISECONDS = /^\d{13}$/;

const ZONE =
  /\s*(?:(?:UTC|GMT)?([+-]\d\d):?(\d\d)(?:\s*\([^()]*\)|\s+UTC)?|(?<=[\d\s])(?:Z|UTC|GMT))$/i;
const CLOCK =
  /(?:^|[\sT,])(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?:\s*([ap])\.?\s?m\.?)?(?=$|\s)/i;

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const DOTTED = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d\d)$/;
const YEAR_LAST = /^(\d{1,2})([-/])(\d{1,2})\2(\d{4}|\d\d)$/;
const WEEKDAY =
  /^(?:mon|tue|wed|thu|fri|sat|sun|lun|mar|mi[eé]|jue|vie|s[aá]b|dom)\p{L}*\.?,?\s+(?=\p{L}|\d)/iu;
const DAY_MONTH =
  /^(\d{1,2})(?:st|nd|rd|th)?[\s.-]+(?:de\s+)?(\p{L}{3,12})\.?,?[\s-]+(?:de\s+)?(\d{4}|\d\d)$/iu;
const MONTH_DAY = /^(\p{L}{3,12})\.?[\s-]+(\d{1,2})(?:st|nd|rd|th)?,?[\s-]+(\d{4})$/iu;
const MONTHS: readonly (readonly string[])[] = [
  ['january', 'enero'],
  ['february', 'febrero'],
  ['march', 'marzo'],
  ['april', 'abril'],
  ['may', 'mayo'],
  ['june', 'junio'],
  ['july', 'julio'],
  ['august', 'agosto'],
  ['september', 'septiembre', 'setiembre'],
  ['october', 'octubre'],
  ['november', 'noviembre'],
  ['december', 'diciembre'],
];

/** How long a cell with a time may be. */
const TEXT_MAX = 80;

/**
 * Reads a time as spreadsheets and exports write it: ISO 8601, with a zone or without; dates such as 04.03.2026,
 * 3/4/2026 2:05 PM or 4 Mar 2026; Excel's serial numbers; seconds or milliseconds since 1970.
 * @returns undefined if it is none, or none in the given order
 */
export function parseCellTime(text: string, options: TimeOptions = {}): CellTime | undefined {
  if (text.length > TEXT_MAX) return undefined;
  const plain = text.replaceAll(/\s+/gu, ' ').trim();
  const exact = parseIsoTime(plain);
  if (exact !== undefined) return { kind: 'moment', seconds: exact };
  return parseNumber(plain, options) ?? parseWritten(plain, options);
}

function parseNumber(text: string, { from1904 }: TimeOptions): CellTime | undefined {
  if (UNIX_SECONDS.test(text)) return { kind: 'moment', seconds: Number(text) };
  if (UNIX_MILLISECONDS.test(text)) {
    return { kind: 'moment', seconds: Math.floor(Number(text) / 1000) };
  }
  if (!NUMBER.test(text)) return undefined;
  const serial = Number(text.replace(',', '.')) - (from1904 ? FROM_1904 : FROM_1900);
  if (serial < 0 || serial > SERIAL_MAX - FROM_1900) return undefined;
  const seconds = Math.round(serial * DAY);
  return { kind: seconds % DAY === 0 ? 'day' : 'wall', seconds };
}

function parseWritten(text: string, options: TimeOptions): CellTime | undefined {
  const zone = ZONE.exec(text);
  const local = zone === null ? text : text.slice(0, zone.index);
  const clock = CLOCK.exec(local);
  // In a date alone, what looks like a zone is a part of it: 04-03-2026.
  if (clock === null) return dateAlone(text, options);
  const ofDay = secondsOfDay(clock);
  const offset = zone === null ? undefined : offsetOf(zone);
  if (ofDay === undefined || offset === null) return undefined;
  const rest = `${local.slice(0, clock.index)} ${local.slice(clock.index + clock[0].length)}`;
  const date = parseDate(rest, options);
  if (date === undefined) return undefined;
  if (date === 'either') return { kind: 'either', hasTime: true };
  const { day, ...more } = date;
  const seconds = day * DAY + ofDay;
  if (offset === undefined) return { kind: 'wall', seconds, ...more };
  return { kind: 'moment', seconds: seconds - offset, ...more };
}

function dateAlone(text: string, options: TimeOptions): CellTime | undefined {
  const date = parseDate(text, options);
  if (date === undefined) return undefined;
  if (date === 'either') return { kind: 'either', hasTime: false };
  const { day, ...more } = date;
  return { kind: 'day', seconds: day * DAY, ...more };
}

/** In seconds; null if there is no such zone. */
function offsetOf([, hours, minutes]: RegExpExecArray): number | null {
  if (hours === undefined) return 0;
  if (Math.abs(Number(hours)) > 14 || Number(minutes) > 59) return null;
  const size = Math.abs(Number(hours)) * 3600 + Number(minutes) * 60;
  return hours.startsWith('-') ? -size : size;
}

function secondsOfDay([, hours, minutes, seconds = '0', half]: RegExpExecArray):
  | number
  | undefined {
  let hour = Number(hours);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  }
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  return hour * 3600 + Number(minutes) * 60 + Number(seconds);
}

interface DateRead {
  /** Since 1970. */
  readonly day: number;
  readonly order?: DateOrder;
}

function parseDate(text: string, { order }: TimeOptions): DateRead | 'either' | undefined {
  const whole = text.trim().replace(/,$/, '');
  const plain = whole.replace(WEEKDAY, '');
  // A month may look like a weekday, as in Mar 4, 2026: in Spanish, that's Tuesday.
  const sure = parseSureDate(whole) ?? parseSureDate(plain);
  if (sure !== undefined) return sure;
  const [, first, , second, year] = YEAR_LAST.exec(plain) ?? [];
  const [dmy, mdy] = [dateOf(year, second, first), dateOf(year, first, second)];
  if (order !== undefined) return order === 'dmy' ? dmy : mdy;
  if (dmy === undefined || mdy === undefined) {
    if (dmy !== undefined) return { ...dmy, order: 'dmy' };
    return mdy === undefined ? undefined : { ...mdy, order: 'mdy' };
  }
  return dmy.day === mdy.day ? dmy : 'either';
}

/** Dates with one reading. */
function parseSureDate(text: string): DateRead | undefined {
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst !== null) return dateOf(yearFirst[1], yearFirst[3], yearFirst[4]);
  const dotted = DOTTED.exec(text);
  if (dotted !== null) return dateOf(dotted[3], dotted[2], dotted[1]);
  const dayMonth = DAY_MONTH.exec(text);
  if (dayMonth !== null) return dateOf(dayMonth[3], monthOf(dayMonth[2]), dayMonth[1]);
  const monthDay = MONTH_DAY.exec(text);
  return monthDay === null ? undefined : dateOf(monthDay[3], monthOf(monthDay[1]), monthDay[2]);
}

function monthOf(name: string | undefined): string | undefined {
  const start = name?.toLowerCase() ?? '';
  const at = MONTHS.findIndex((names) => names.some((each) => each.startsWith(start)));
  return at === -1 ? undefined : String(at + 1);
}

function dateOf(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
): DateRead | undefined {
  if (year === undefined || month === undefined || day === undefined) return undefined;
  // As spreadsheets do, 70 to 99 are of the last century.
  const full = year.length === 2 ? Number(year) + (Number(year) < 70 ? 2000 : 1900) : Number(year);
  // It has two digits with zeros before them, which a date would take for the 20th century.
  if (full < 100) return undefined;
  const ms = Date.UTC(full, Number(month) - 1, Number(day));
  const found = new Date(ms);
  const isDate = found.getUTCMonth() === Number(month) - 1 && found.getUTCDate() === Number(day);
  return isDate ? { day: ms / 1000 / DAY } : undefined;
}
