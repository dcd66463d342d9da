/**
 * Formats rows of cells as text, each column as wide as its widest cell.
 * @param align one letter per column: `l` for left, `r` for right
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
