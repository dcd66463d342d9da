import { DAY_SECONDS } from '#core/scoring/days';

/** The first of the month that follows a day; days count from 1970-01-01. */
export function nextMonth(day: number): number {
  const date = new Date(day * DAY_SECONDS * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000 / DAY_SECONDS;
}
