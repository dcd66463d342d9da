import { concatBytes } from './bytes.ts';

/** Small numbers, short strings and bytes: all that our one transaction needs. */
export type MsgpackValue = number | string | Uint8Array;

/**
 * A map in Algorand's canonical encoding: sorted keys, zero and empty values omitted, every length
 * in its shortest form.
 * https://developer.algorand.org/docs/get-details/encoding/
 * @throws RangeError for what is too long or too large, which is a bug
 */
export function canonicalMap(fields: Readonly<Record<string, MsgpackValue>>): Uint8Array {
  const kept = Object.entries(fields)
    .filter(([, value]) => (typeof value === 'number' ? value !== 0 : value.length > 0))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return concatBytes(
    within(kept.length, 16) | 0x80,
    ...kept.flatMap(([key, value]) => [encoded(key), encoded(value)]),
  );
}

function encoded(value: MsgpackValue): Uint8Array {
  if (typeof value === 'number') return Uint8Array.of(within(value, 0x80));
  if (typeof value === 'string') return concatBytes(within(value.length, 32) | 0xa0, value);
  const { length } = value;
  if (length < 0x100) return concatBytes(0xc4, length, value);
  return concatBytes(0xc5, within(length, 0x10000) >> 8, length & 0xff, value);
}

function within(value: number, end: number): number {
  if (value >= end) throw new RangeError(`${value} isn't below ${end}`);
  return value;
}
