import { readIntegers } from '#storage/following/fill-standings';
import type { Packing } from '#storage/following/ledger-queries';

/** SQL aggregate: all values of an integer column, as one text. */
export function packed(column: string): string {
  return `string_agg((${column})::text, ',')`;
}

/** SQL aggregate: all values of a text column, each followed by a line feed. */
export function packedTexts(column: string): string {
  return `string_agg(${column} || E'\\n', '')`;
}

/** The bytes of a packed column. */
function bytesOf(text: unknown): Uint8Array | null {
  return typeof text === 'string' ? Buffer.from(text) : null;
}

export function integersOf(text: unknown, count: number): Float64Array {
  const integers = new Float64Array(count);
  readIntegers(bytesOf(text) ?? new Uint8Array(0), integers);
  return integers;
}

export function unpackTexts(text: unknown): string[] {
  return typeof text === 'string' ? text.split('\n') : [];
}

export const PACKING: Packing = {
  integers: packed,
  texts: packedTexts,
  bytesOf,
  textsOf: unpackTexts,
};
