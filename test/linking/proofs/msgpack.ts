/** A field's value, or a map as a list of its fields. */
type Value = number | string | Uint8Array | Fields | Raw;
export type Fields = readonly (readonly [string, Value])[];

/** Bytes to write as they are. */
export class Raw {
  readonly bytes: Uint8Array;
  constructor(...bytes: readonly number[]) {
    this.bytes = Uint8Array.from(bytes);
  }
}

/** MessagePack of a map with the fields exactly as given: in any order, including zeros. */
export function packed(fields: Fields): Buffer {
  const all = fields.flatMap(([key, value]) => [bytesOf(key), bytesOf(value)]);
  return Buffer.concat([Buffer.of(0x80 | fields.length), ...all]);
}

function bytesOf(value: Value): Uint8Array {
  if (value instanceof Raw) return value.bytes;
  if (typeof value === 'string') {
    return Buffer.concat([Buffer.of(0xa0 | value.length), Buffer.from(value)]);
  }
  if (typeof value === 'number') {
    if (value < 0x80) return Buffer.of(value);
    return Buffer.of(0xcd, value >> 8, value & 0xff);
  }
  if (!(value instanceof Uint8Array)) return packed(value);
  const { length } = value;
  const header = length < 256 ? [0xc4, length] : [0xc5, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), value]);
}
