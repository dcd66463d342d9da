import { areEqual, concatBytes } from './bytes.ts';

/** Numbers, short strings and bytes: all that our one transaction needs. */
type MsgpackValue = number | string | Uint8Array;
/** No round and no fee is larger. */
const LARGEST = Number.MAX_SAFE_INTEGER;

type Fields = Readonly<Record<string, MsgpackValue>>;

/**
 * A map in Algorand's canonical encoding: sorted keys, zero and empty values omitted, every length
 * in its shortest form.
 * https://developer.algorand.org/docs/get-details/encoding/
 * @throws RangeError for what is too long or too large, which is a bug
 */
export function canonicalMap(fields: Fields): Uint8Array {
  const kept = Object.entries(fields)
    .filter(([, value]) => (typeof value === 'number' ? value !== 0 : value.length > 0))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return concatBytes(
    within(kept.length, 16) | 0x80,
    ...kept.flatMap(([key, value]) => [encoded(key), encoded(value)]),
  );
}

/**
 * The fields of a map in that encoding.
 * @returns undefined for any other bytes, and for a map with other values
 */
export function readCanonicalMap(bytes: Uint8Array): Fields | undefined {
  const given = Buffer.from(bytes);
  try {
    if (((given[0] ?? 0) & 0xf0) !== 0x80) return undefined;
    const fields: Record<string, MsgpackValue> = Object.create(null);
    let at = 1;
    const next = () => {
      const [value, end] = valueAt(given, at);
      at = end;
      return value;
    };
    for (let left = (given[0] ?? 0) & 0x0f; left > 0; left--) {
      const key = next();
      if (typeof key !== 'string') return undefined;
      fields[key] = next();
    }
    // There is only one canonical encoding of the same fields.
    return areEqual(canonicalMap(fields), given) ? fields : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A value and where it ends. @throws RangeError if there is none that we know */
function valueAt(bytes: Buffer, at: number): readonly [MsgpackValue, number] {
  const kind = bytes.readUInt8(at);
  if (kind < 0x80) return [kind, at + 1];
  if (kind >= 0xa0 && kind < 0xc0) {
    const end = at + 1 + (kind & 0x1f);
    return [bytes.toString('latin1', at + 1, end), end];
  }
  switch (kind) {
    case 0xc4:
      return bytesAt(bytes, at + 2, bytes.readUInt8(at + 1));
    case 0xc5:
      return bytesAt(bytes, at + 3, bytes.readUInt16BE(at + 1));
    case 0xcc:
      return [bytes.readUInt8(at + 1), at + 2];
    case 0xcd:
      return [bytes.readUInt16BE(at + 1), at + 3];
    case 0xce:
      return [bytes.readUInt32BE(at + 1), at + 5];
    case 0xcf:
      return [within(Number(bytes.readBigUInt64BE(at + 1)), LARGEST), at + 9];
    default:
      throw new RangeError('another kind of value');
  }
}

function bytesAt(bytes: Buffer, start: number, length: number): readonly [Uint8Array, number] {
  return [bytes.subarray(start, start + length), start + length];
}

function encoded(value: MsgpackValue): Uint8Array {
  if (typeof value === 'number') return encodedNumber(within(value, LARGEST));
  if (typeof value === 'string') return concatBytes(within(value.length, 32) | 0xa0, value);
  const { length } = value;
  if (length < 0x100) return concatBytes(0xc4, length, value);
  return concatBytes(0xc5, within(length, 0x10000) >> 8, length & 0xff, value);
}

function encodedNumber(value: number): Uint8Array {
  if (value < 0x80) return Uint8Array.of(value);
  const bytes = Buffer.alloc(9);
  bytes.writeBigUInt64BE(BigInt(value), 1);
  const [kind, start] = headerOf(value);
  bytes.writeUInt8(kind, start);
  return bytes.subarray(start);
}

/** The kind, and where it stands before the number in its last bytes of nine. */
function headerOf(value: number): readonly [number, number] {
  if (value < 0x100) return [0xcc, 7];
  if (value < 0x10000) return [0xcd, 6];
  return value < 2 ** 32 ? [0xce, 4] : [0xcf, 0];
}

function within(value: number, end: number): number {
  if (value >= end) throw new RangeError(`${value} isn't below ${end}`);
  return value;
}
