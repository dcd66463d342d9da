import { formatTime, parseTime } from './time.ts';

export const DAY_SECONDS = 86_400;

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
