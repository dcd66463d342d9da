import type { ScaleTime } from 'd3-scale';
import { DAY_SECONDS, type Html, html } from '#base';
import { formatDate, formatMonth } from '#http/pages/public/dates';

/** Shared by plots over time. Heights are pixels; widths are percentages of the plot without labels, which keep their size. */
export const HEIGHT = 240;
export const TOP = 12;
export const BOTTOM = 26;
/** Units of the inner SVG, which is stretched. */
export const INNER = 1000;
/** More points would cost bytes without being visible. */
const COLUMNS = 160;
/** From this many days on, labels are months. */
const MONTHS_FROM = 200;
/** What a label and the space beside it take on a narrow phone, in percent of the width. */
const MONTH_WIDTH = 25;
const DATE_WIDTH = 32;

/** From 0 to 100. */
export type TimeScale = ScaleTime<number, number>;

/** A day since 1970 in milliseconds. */
export function timeOf(day: number): number {
  return day * DAY_SECONDS * 1000;
}

/** The first point, and the last one in each column. @param points oldest first, with their days */
export function thinned<T>(points: readonly T[], x: TimeScale, dayOf: (point: T) => number): T[] {
  const [first] = points;
  if (first === undefined || points.length <= COLUMNS) return [...points];
  const columns = new Map<number, T>();
  for (const point of points) {
    columns.set(Math.floor((x(timeOf(dayOf(point))) * COLUMNS) / 100), point);
  }
  const kept = [...columns.values()];
  return kept[0] === first ? kept : [first, ...kept];
}

/** Days or months below the plot. @param days that it covers */
export function timeLabels(x: TimeScale, days: number, language: string): Html[] {
  const [shown, width] = days > MONTHS_FROM ? [formatMonth, MONTH_WIDTH] : [formatDate, DATE_WIDTH];
  let free = 0;
  return x.ticks(3).flatMap((time) => {
    const at = x(time);
    if (at < free || at > 100 - width / 2) return [];
    free = at + width;
    const text = shown(time.getTime() / 1000, language);
    return [html`<text x="${round(at)}%" y="${HEIGHT - 8}" text-anchor="middle">${text}</text>`];
  });
}

/** Longer numbers don't fit next to a plot on a phone. */
const COMPACT_FROM = 100_000;

/** Creating one takes longer than a plot. */
const formats = new Map<string, Intl.NumberFormat>();

/**
 * Formats the axis labels of a plot consistently: `5,000`, or `5K` if others are long.
 * @param most the largest of them
 */
export function tickText(most: number, language: string): (value: number) => string {
  const notation = most >= COMPACT_FROM ? 'compact' : 'standard';
  const key = `${language} ${notation}`;
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(language, {
      notation,
      maximumFractionDigits: 1,
      useGrouping: 'always',
    });
  formats.set(key, format);
  return (value) => format.format(value);
}

/** Pixels between a label and the plot. The stylesheet keeps a margin as wide as the longest label. */
const GAP = 6;

/** A horizontal line across a plot, with its value in the margin on the left. */
export function gridLine(y: number, text: string): Html {
  const at = round(y);
  return html`<line class="grid" x2="100%" y1="${at}" y2="${at}"/><text x="-${GAP}" y="${at + 4}" text-anchor="end">${text}</text>`;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A fraction as an SVG percentage: `45.2%`. */
export function percentX(fraction: number): string {
  return `${Math.round(Math.min(1, Math.max(0, fraction)) * 1000) / 10}%`;
}
