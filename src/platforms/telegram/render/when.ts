import type { Span } from '#command';
import type { Style } from './rich-text.ts';

type Time = Extract<Span, { readonly time: number }>;

/** Clients that support the entity show the time in the user's own language and time zone. */
export interface When {
  readonly text: string;
  readonly style: Style;
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** Telegram's `date_time_format`s (https://core.telegram.org/bots/api#date-time-entity-formatting). */
const FORMATS = { relative: 'r', date: 'd', clock: 'Dt' } as const;

/** Formatters are expensive to create. */
const formatters = new Map<string, Formatters>();
const LANGUAGES_KEPT = 100;

interface Formatters {
  readonly relative: Intl.RelativeTimeFormat;
  readonly date: Intl.DateTimeFormat;
  readonly clock: Intl.DateTimeFormat;
}

/**
 * Formats a time for clients without the entity: relative, or in UTC (labelled as such), as bots don't
 * learn a user's time zone.
 * @param now seconds since 1970
 */
export function tellTime(time: Time, locale: string | undefined, now: number): When {
  const { relative, date, clock } = formattersFor(locale);
  const style: Style = {
    type: 'date_time',
    unix_time: time.time,
    date_time_format: FORMATS[time.style],
  };
  if (time.style === 'relative') {
    const seconds = time.time - now;
    const [unit, length] = UNITS.find((each) => Math.abs(seconds) >= each[1]) ?? ['second', 1];
    return { text: relative.format(Math.trunc(seconds / length), unit), style };
  }
  const moment = new Date(time.time * 1000);
  const text = time.style === 'date' ? date.format(moment) : `${clock.format(moment)} UTC`;
  return { text, style };
}

function formattersFor(locale: string | undefined): Formatters {
  const language = supported(locale) ?? 'en';
  let found = formatters.get(language);
  if (found === undefined) {
    if (formatters.size >= LANGUAGES_KEPT) formatters.clear();
    found = {
      relative: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
      date: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }),
      clock: new Intl.DateTimeFormat(language, {
        dateStyle: 'medium',
        timeStyle: 'short',
        timeZone: 'UTC',
      }),
    };
    formatters.set(language, found);
  }
  return found;
}

/** Clients can send any string as their language. */
function supported(locale: string | undefined): string | undefined {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale ?? 'en')[0];
  } catch {
    return undefined;
  }
}
