/**
 * A place within a block, as one text: the order of the texts' bytes is that of the paths. Numbers
 * are written behind a letter for how many digits they have (`a7`, `b10`), parts with dots between.
 * @param path from the outermost part; texts must hold only signs that sort above a dot
 */
export function pathPlace(path: readonly (number | bigint | string)[]): string {
  return path.map((part) => (typeof part === 'string' ? part : sortable(part))).join('.');
}

/** @param value from 0, of at most 26 digits */
export function sortable(value: number | bigint): string {
  const digits = String(value);
  if (!/^\d{1,26}$/.test(digits)) throw new Error(`${digits} can't be part of a place`);
  return String.fromCharCode(96 + digits.length) + digits;
}
