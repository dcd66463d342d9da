/** 12345 → `12,345`. @param value a whole number */
export function count(value: number): string {
  // Intl would take 25 ms to load, in each command.
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 wallet`, `51,186 wallets` */
export function counted(number: number, one: string, several: string): string {
  return `${count(number)} ${number === 1 ? one : several}`;
}

/** Breaks lines at spaces where they're longer than this; a longer word stays whole. */
export function wrapped(text: string, width: number): string {
  const lines = text.split('\n').flatMap((line) => {
    const parts: string[] = [];
    let rest = line;
    while (rest.length > width) {
      const begin = rest.search(/\S/);
      const before = rest.lastIndexOf(' ', width);
      const at = before > begin ? before : rest.indexOf(' ', Math.max(begin, width));
      if (at === -1) break;
      parts.push(rest.slice(0, at));
      rest = rest.slice(at + 1);
    }
    return [...parts, rest];
  });
  return lines.join('\n');
}

const MIB = 1024 * 1024;

/** Bytes for people: `1.5 GiB`, `12 MiB`. */
export function size(bytes: number): string {
  if (bytes >= 1024 * MIB) return `${(bytes / (1024 * MIB)).toFixed(1)} GiB`;
  if (bytes >= MIB) return `${Math.round(bytes / MIB)} MiB`;
  return `${Math.ceil(bytes / 1024)} KiB`;
}

/** `3 h 20 min` */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

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
