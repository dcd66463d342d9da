import { formatTime, type Html, html, parseTime } from '#base';

type Style = 'date' | 'clock' | 'month';

const OPTIONS: Readonly<Record<Style, Intl.DateTimeFormatOptions>> = {
  date: { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  clock: {
    ...{ day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    ...{ timeZone: 'UTC', timeZoneName: 'short' },
  },
  month: { month: 'short', year: 'numeric', timeZone: 'UTC' },
};

/** Creating one takes longer than rendering a page. */
const formats = new Map<string, Intl.DateTimeFormat>();

function format(style: Style, seconds: number, language: string): string {
  const key = `${style} ${language}`;
  let found = formats.get(key);
  if (found === undefined) {
    // For English, the day first, as in most of the world.
    found = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, OPTIONS[style]);
    formats.set(key, found);
  }
  return found.format(seconds * 1000);
}

/** `22 Nov 2026` */
export function formatDate(seconds: number, language: string): string {
  return format('date', seconds, language);
}

/** `22 Nov 2026, 19:43 UTC` */
export function formatClock(seconds: number, language: string): string {
  return format('clock', seconds, language);
}

/** `Nov 2026` */
export function formatMonth(seconds: number, language: string): string {
  return format('month', seconds, language);
}

/** A `time` element. @param seconds since 1970 */
export function timeTag(seconds: number, shown: string): Html {
  return html`<time datetime="${formatTime(seconds)}">${shown}</time>`;
}

/** The date of a record's time; the text itself if it isn't one. */
export function dateTag(text: string, language: string): Html {
  const seconds = parseTime(text);
  return seconds === undefined ? html`${text}` : timeTag(seconds, formatDate(seconds, language));
}
