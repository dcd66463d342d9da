import { wallMs } from './clock.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/**
 * The three forms of RFC 9110, section 5.6.7, all of them in UTC: the preferred one, that of RFC 850 with two digits
 * of the year, and C's asctime. Servers also write the first with another name for the zone.
 */
const FORMS = [
  /^[A-Z][a-z]{2}, (?<day>\d{1,2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) (?:GMT|UTC|[+-]0000)$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];
/** A year of two digits that would lie further ahead is of the century before. */
const AHEAD_YEARS = 50;

/** @returns milliseconds since 1970 of a date in a header; NaN where there is none */
export function parseHttpDate(text: string): number {
  const parts = FORMS.map((form) => form.exec(text)?.groups).find((each) => each !== undefined);
  const { day = '', month = '', year = '', time = '' } = parts ?? {};
  const at = MONTHS.indexOf(month);
  const [hours, minutes, seconds] = time.split(':').map(Number);
  if (hours === undefined || minutes === undefined || seconds === undefined) return Number.NaN;
  const isTime = hours < 24 && minutes < 60 && seconds <= 60;
  if (at === -1 || !isTime) return Number.NaN;
  const dateIn = (full: number) => {
    const midnight = new Date(0);
    midnight.setUTCFullYear(full, at, Number(day));
    // It goes on to the next month where there's no such day.
    return midnight.getUTCDate() === Number(day)
      ? midnight.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1_000
      : Number.NaN;
  };
  if (year.length === 4) return dateIn(Number(year));
  const now = new Date(wallMs());
  const century = now.getUTCFullYear() - (now.getUTCFullYear() % 100);
  const latest = new Date(now).setUTCFullYear(now.getUTCFullYear() + AHEAD_YEARS);
  const all = [1, 0, -1].map((off) => dateIn(century + 100 * off + Number(year)));
  return all.find((each) => each <= latest) ?? Number.NaN;
}

/** Nobody is believed who wants to be left alone for longer, unless the caller says so. */
const LONGEST_S = 600;

/**
 * What a `Retry-After` header says, in seconds: RFC 9110, section 10.2.3.
 * @returns 1 to `longest`; undefined where it says nothing that can be read
 */
export function retryAfterOf(
  header: string | readonly string[] | undefined,
  longest = LONGEST_S,
): number | undefined {
  const text = typeof header === 'string' ? header.trim() : '';
  if (text === '') return undefined;
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : Math.ceil((parseHttpDate(text) - wallMs()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(longest, Math.max(1, seconds));
}
