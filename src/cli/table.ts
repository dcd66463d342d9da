/**
 * Rows of cells as lines of text, each column as wide as its widest cell.
 * @param align one letter a column: `l` for words, `r` for figures
 */
export function formatTable(rows: readonly (readonly string[])[], align: string): string {
  const widths = [...align].map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, align[column] === 'r'))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

function pad(cell: string, width: number, isFigure: boolean): string {
  return isFigure ? cell.padStart(width) : cell.padEnd(width);
}
