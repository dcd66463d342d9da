import { displayWidth, fitColumns, sanitizeText } from '#base';
import { type Bar, type Column, TABLE_WIDTH } from './card.ts';

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
