/** Internally, times are whole seconds since 1970 (UTC); externally `2025-12-15T14:30:00Z`. */

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const ZERO = 0x30;

export const DAY_SECONDS = 86_400;

/** Covers nearly all times there are: some 27 years. */
const REMEMBERED_DAYS = 10_000;
const formattedDays = new Map<number, string>();
const twoDigitTexts = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'));
const formattedMinutes = Array.from(
  { length: 24 * 60 },
  (_, i) => `T${twoDigitTexts[Math.floor(i / 60)]}:${twoDigitTexts[i % 60]}:`,
);

/** `1765809000` → `2025-12-15T14:30:00Z`. Put together from parts: a list of badges has hundreds. */
export function formatTime(seconds: number): string {
  const day = Math.floor(seconds / DAY_SECONDS);
  const ofDay = Math.floor(seconds) - day * DAY_SECONDS;
  const minute = Math.floor(ofDay / 60);
  return `${formatDay(day)}${formattedMinutes[minute]}${twoDigitTexts[ofDay - minute * 60]}Z`;
}

/** @param day since 1970 */
function formatDay(day: number): string {
  let text = formattedDays.get(day);
  if (text === undefined) {
    text = new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10);
    if (formattedDays.size >= REMEMBERED_DAYS) formattedDays.clear();
    formattedDays.set(day, text);
  }
  return text;
}

/**
 * Parses an ISO 8601 time with a zone; truncates fractions of a second.
 * @returns seconds since 1970, or undefined if there is no such time (30 February, 24:00), or the year has two digits
 */
export function parseTime(text: string): number | undefined {
  // All digits except the zone's have fixed positions; capture groups would cost more than the
  // rest.
  if (!FORM.test(text)) return undefined;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  // A date takes these for years of the 20th century.
  if (year < 100) return undefined;
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  if (day < 1 || day > daysInMonth(year, month)) return undefined;
  const offset = text.endsWith('Z') ? 0 : offsetOf(text.slice(-6));
  if (offset === undefined) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - offset;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** @param zone such as `+02:00` */
function offsetOf(zone: string): number | undefined {
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 14 || minutes > 59) return undefined;
  return (zone[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** The UTC day since 1970-01-01 that contains a time in seconds. */
export function dayOf(seconds: number): number {
  return Math.floor(seconds / DAY_SECONDS);
}

/** `2024-01-01` as a day since 1970-01-01; undefined if there is no such day. */
export function parseDay(text: string): number | undefined {
  const seconds = parseTime(`${text}T00:00:00Z`);
  return seconds === undefined || seconds < 0 ? undefined : dayOf(seconds);
}

/** `30d` → 30. The shape was checked before. */
export function daysOf(text: string): number {
  return Number(text.slice(0, -1));
}

/** A day since 1970-01-01 as `2024-01-01`. */
export function dateOf(day: number): string {
  return formatTime(day * DAY_SECONDS).slice(0, 10);
}

const ISO_FORM =
  /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d)(?::(\d\d)(?:[.,]\d{1,18})?)?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)$/;

/**
 * Parses a time that others wrote: the extended form of ISO 8601 with a zone, which includes RFC 3339. Seconds and
 * the zone's minutes may be missing, and so may the zone's colon; a fraction of a minute is refused. A leap second
 * counts as the second before it, as Unix time has none.
 * @returns seconds since 1970, or undefined if there is no such time
 */
export function parseIsoTime(text: string): number | undefined {
  const time = parseTime(text);
  if (time !== undefined) return time;
  const [, date = '', minute = '', second = '00', zoneHours, zoneMinutes = '00'] =
    ISO_FORM.exec(text) ?? [];
  const isLeap = second === '60';
  const zone = zoneHours === undefined ? 'Z' : `${zoneHours}:${zoneMinutes}`;
  const seconds = parseTime(`${date}T${minute}:${isLeap ? '59' : second}${zone}`);
  return seconds !== undefined && isLeap && !endsHalfYear(seconds) ? undefined : seconds;
}

/** Leap seconds are only ever added at the end of June or December, UTC. */
function endsHalfYear(seconds: number): boolean {
  const next = new Date((seconds + 1) * 1000);
  return (
    (seconds + 1) % DAY_SECONDS === 0 && next.getUTCDate() === 1 && next.getUTCMonth() % 6 === 0
  );
}
