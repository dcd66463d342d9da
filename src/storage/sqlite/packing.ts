import { TEXT_END } from '#reputation/standings';
import type { Packing } from '#storage/following/ledger-queries';

/** SQL aggregate: all values of an integer column, for `readIntegers`. */
export function packed(column: string): string {
  return `CAST(group_concat(${column}) AS BLOB)`;
}

function bytesOf(value: unknown): Uint8Array | null {
  return value instanceof Uint8Array ? value : null;
}

/** Columns as bytes: as texts, they would be decoded and encoded again. */
export const PACKING: Packing = {
  integers: packed,
  texts: (column) => `CAST(group_concat(${column} || char(${TEXT_END}), '') AS BLOB)`,
  bytesOf,
  textsOf(value) {
    const bytes = bytesOf(value);
    if (bytes === null) return [];
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      .toString()
      .split(String.fromCharCode(TEXT_END));
  },
};
