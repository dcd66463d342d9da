/**
 * A position within a block as one text, so that byte order is path order. Numbers follow a letter
 * for their number of digits (`a7`, `b10`); parts are joined by dots.
 * @param path outermost part first; texts may only contain characters that sort after a dot
 */
export function pathPlace(path: readonly (number | bigint | string)[]): string {
  return path.map((part) => (typeof part === 'string' ? part : sortable(part))).join('.');
}

/** @param value from 0, with at most 26 digits */
export function sortable(value: number | bigint): string {
  const digits = String(value);
  // Nearly all; looking at their digits would take longer than the rest.
  if (Number.isSafeInteger(value) && (value as number) >= 0) {
    return String.fromCharCode(96 + digits.length) + digits;
  }
  if (!/^\d{1,26}$/.test(digits)) throw new Error(`${digits} can't be part of a place`);
  return String.fromCharCode(96 + digits.length) + digits;
}

/** The place of what an address held before the first block that was read: after all else of that height. */
export const START_PLACE = '~start';

/** The place of how an asked balance differs from the last one: after all logs of the day's last block. */
export const HELD_PLACE = '~held';
