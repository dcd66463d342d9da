import { displayWidth, fitColumns, sanitizeText } from '#base';
import type { Texts } from '#command/texts/index';
import { lowestScoreOf, TIERS, type Tier, type TierThresholds } from '#reputation';
import { type Bar, type Column, TABLE_WIDTH } from './card.ts';

/** Below the better half of all, a percentile says nothing that the rank doesn't. */
const TOP_MOST = 50;

/**
 * A rank's percentile: whole percents, rounded up, and tenths below one.
 * @returns 0.1 to 100
 */
export function topPercent(rank: number, total: number): number {
  // Multiply first: 7 / 100 * 100 is more than 7.
  const whole = Math.ceil((rank * 100) / Math.max(total, 1));
  if (whole > 1 || rank * 100 === total) return Math.min(whole, 100);
  return Math.ceil((rank * 1000) / Math.max(total, 1)) / 10;
}

/** `top 5%`; undefined for the first rank and in the lower half. */
export function topText(rank: number, total: number, texts: Texts): string | undefined {
  const percent = topPercent(rank, total);
  return rank === 1 || percent > TOP_MOST ? undefined : texts.rep.top(texts.percent(percent));
}

/** `3 of 60 · top 5%`, or `58 of 60`. */
export function rankText(rank: number, total: number, texts: Texts): string {
  const place = texts.rep.rankOf(texts.number(rank), texts.number(total));
  const top = topText(rank, total, texts);
  return top === undefined ? place : `${place} · ${top}`;
}

/** A share of a whole in percent, to a tenth: `1.2%`. None and all have no tenths. */
export function shareOf(count: number, total: number, { percent, percentTenths }: Texts): string {
  if (count === 0 || total === 0) return percent(0);
  if (count === total) return percent(100);
  const tenths = Math.round((count * 1000) / total);
  // Few must not read as none, nor nearly all as all.
  if (tenths === 0) return `<${percentTenths(0.1)}`;
  if (tenths === 1000) return `>${percentTenths(99.9)}`;
  return percentTenths(tenths / 10);
}

/** How far a score has come on its way to the next tier. */
export type TierProgress =
  | { readonly isHighest: true }
  | {
      readonly isHighest: false;
      readonly next: Tier;
      /** Points still missing. */
      readonly missing: number;
      /** 0 to 1, exclusive. */
      readonly fraction: number;
    };

/** Undefined if score and tier don't match our thresholds: the source uses different ones. */
export function tierProgress(
  score: number,
  tier: Tier,
  thresholds: TierThresholds,
): TierProgress | undefined {
  const next = TIERS[TIERS.indexOf(tier) - 1];
  if (next === undefined) return { isHighest: true };
  const from = lowestScoreOf(tier, thresholds);
  const to = lowestScoreOf(next, thresholds);
  if (score < from || score >= to) return undefined;
  return { isHighest: false, next, missing: to - score, fraction: (score - from) / (to - from) };
}

/** Between two columns. */
const GAP = 1;

/**
 * Lays out rows for a monospaced font, at most TABLE_WIDTH characters wide: every column is as wide
 * as its widest cell, and the one that shrinks takes the remaining width. One line of text per row.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string[] {
  const cells = rows.map((row) => columns.map((_, i) => sanitizeText(row[i] ?? '', TABLE_WIDTH)));
  const widths = columns.map((_, i) =>
    Math.max(0, ...cells.map((row) => displayWidth(row[i] ?? ''))),
  );
  const gaps = GAP * (columns.length - 1);
  const excess = widths.reduce((sum, width) => sum + width, gaps) - TABLE_WIDTH;
  const shrinking = columns.findIndex((column) => column.shrinks);
  if (excess > 0 && shrinking >= 0) {
    widths[shrinking] = Math.max(3, (widths[shrinking] as number) - excess);
  }
  return cells.map((row) => {
    const line = columns
      .map((column, i) => fitColumns(row[i] ?? '', widths[i] as number, column.align))
      .join(' '.repeat(GAP));
    return fitColumns(line, TABLE_WIDTH, 'left').trimEnd();
  });
}

/** Steps of a bar if there is room for all of them. */
const MOST_STEPS = 8;
/** A shorter bar isn't informative, so it is omitted. */
const LEAST_STEPS = 3;
/** Between label, bar, count and share. */
const BAR_GAPS = 3;

const COLUMNS: readonly Column[] = [
  { align: 'left', shrinks: true },
  { align: 'left' },
  { align: 'right' },
  { align: 'right' },
];

/** A bar of full and empty steps. Only 0 has no full step, and only 1 has no empty one. */
export function steps(fraction: number, count: number): string {
  const share = Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : 0;
  const filled = Math.round(share * count);
  const honest = share > 0 && share < 1 ? Math.min(count - 1, Math.max(1, filled)) : filled;
  return '█'.repeat(honest) + '░'.repeat(count - honest);
}

/**
 * Lays out shares for a monospaced font: label, bar, count and percentage, each in its own column.
 * The bar shrinks first, because words and numbers say more; labels are truncated only once no bar
 * is left.
 * @returns one line per share, at most TABLE_WIDTH characters wide
 */
export function renderBars(bars: readonly Bar[]): string[] {
  const widest = (textOf: (bar: Bar) => string) =>
    Math.max(0, ...bars.map((bar) => displayWidth(sanitizeText(textOf(bar), TABLE_WIDTH))));
  const words =
    widest((bar) => bar.label) + widest((bar) => bar.count) + widest((bar) => bar.share);
  const room = Math.min(MOST_STEPS, TABLE_WIDTH - words - BAR_GAPS);
  if (room < LEAST_STEPS) {
    const [label, , count, share] = COLUMNS as [Column, Column, Column, Column];
    return renderTable(
      [label, count, share],
      bars.map((bar) => [bar.label, bar.count, bar.share]),
    );
  }
  return renderTable(
    COLUMNS,
    bars.map((bar) => [bar.label, steps(bar.fraction, room), bar.count, bar.share]),
  );
}
