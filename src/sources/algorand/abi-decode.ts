import { addressOfKey } from '#wallet/chains';
import { type AbiLayout, abiSize } from './abi-layout.ts';

/** The bytes don't encode a value of the type. Applications can log, or be passed, anything. */
export class AbiFault extends Error {
  override readonly name = 'AbiFault';
}

const BYTE_BITS = 8;
const OFFSET_BYTES = 2;

/**
 * The values of a tuple as text: integers in decimal, addresses in canonical form, booleans as `true` or
 * `false`. Undefined for types that rules can't use.
 * @throws AbiFault
 */
export function decodeTuple(
  parts: readonly AbiLayout[],
  bytes: Buffer,
): readonly (string | undefined)[] {
  const heads = headsOf(parts);
  if (bytes.length < heads.length) throw new AbiFault('too short');
  if (!heads.isDynamic && bytes.length !== heads.length) throw new AbiFault('too long');
  return parts.map((part, index) => {
    const at = heads.at[index] as number;
    if (part.kind === 'bool') {
      const bit = heads.bit[index] as number;
      return String(((bytes[at] as number) & (0x80 >> bit)) !== 0);
    }
    const size = abiSize(part);
    if (size !== undefined) return decodeFixed(part, bytes.subarray(at, at + size));
    const offset = bytes.readUInt16BE(at);
    if (offset < heads.length) throw new AbiFault('an offset points into the head');
    return part.kind === 'string' ? decodeText(bytes, offset) : undefined;
  });
}

/**
 * A standalone value, such as a method's argument.
 * @throws AbiFault
 */
export function decodeValue(layout: AbiLayout, bytes: Buffer): string | undefined {
  const size = abiSize(layout);
  if (size !== undefined) {
    if (bytes.length !== size) throw new AbiFault('of another length');
    if (layout.kind === 'bool' && ![0, 0x80].includes(bytes[0] as number)) {
      throw new AbiFault('neither true nor false');
    }
    if (layout.kind === 'bool') return decodeTuple([layout], bytes)[0];
    return decodeFixed(layout, bytes);
  }
  if (layout.kind !== 'string') return undefined;
  const text = decodeText(bytes, 0);
  if (bytes.length !== OFFSET_BYTES + bytes.readUInt16BE(0)) throw new AbiFault('too long');
  return text;
}

/** Where each part of the head starts; for a boolean also its bit, 0 being the most significant. */
function headsOf(parts: readonly AbiLayout[]) {
  const at: number[] = [];
  const bit: number[] = [];
  let length = 0;
  let booleans = 0;
  let isDynamic = false;
  for (const part of parts) {
    const isBool = part.kind === 'bool';
    const place = isBool ? booleans % BYTE_BITS : 0;
    if (isBool && place > 0) at.push(length - 1);
    else {
      at.push(length);
      const size = abiSize(part);
      isDynamic ||= size === undefined;
      length += size ?? OFFSET_BYTES;
    }
    bit.push(place);
    booleans = isBool ? booleans + 1 : 0;
  }
  return { at, bit, length, isDynamic };
}

function decodeFixed(layout: AbiLayout, bytes: Buffer): string | undefined {
  if (layout.kind === 'address') return addressOfKey(bytes);
  return layout.kind === 'integer' ? BigInt(`0x${bytes.toString('hex')}`).toString() : undefined;
}

function decodeText(bytes: Buffer, offset: number): string {
  const from = offset + OFFSET_BYTES;
  if (from > bytes.length) throw new AbiFault('an offset points behind the end');
  const to = from + bytes.readUInt16BE(offset);
  if (to > bytes.length) throw new AbiFault('a text is cut off');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      bytes.subarray(from, to),
    );
  } catch (error) {
    throw new AbiFault('a text is no UTF-8', { cause: error });
  }
}
