import { displayWidth, fitColumns, sanitizeText } from '#base';
import type { Column } from './card.ts';
import { TABLE_WIDTH } from './card.ts';

/** Between two columns. */
const GAP = 1;

/**
 * Lays out rows for a monospaced font, at most TABLE_WIDTH characters wide: every column is as wide
 * as its widest cell, and the one that shrinks takes the remaining width. One line of text per row.
 */
export function layTable(
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
