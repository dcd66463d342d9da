import { hash } from 'node:crypto';

/** A value of Algorand's ABI with its type. */
export type AbiValue =
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: `uint${number}`; readonly value: bigint }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'address'; readonly value: Buffer };

/** A standalone value: https://dev.algorand.co/arc-standards/arc-0004/#encoding */
export function encodeValue({ type, value }: AbiValue): Buffer {
  if (typeof value === 'boolean') return Buffer.from([value ? 0x80 : 0]);
  if (typeof value === 'bigint') {
    const digits = (Number(type.slice('uint'.length)) / 8) * 2;
    return Buffer.from(value.toString(16).padStart(digits, '0'), 'hex');
  }
  if (Buffer.isBuffer(value)) return value;
  const text = Buffer.from(value);
  return Buffer.concat([uint16(text.length), text]);
}

/** Heads, then tails. */
export function encodeTuple(parts: readonly AbiValue[]): Buffer {
  const heads: Buffer[] = [];
  const tails: Buffer[] = [];
  const headLength = lengthOfHeads(parts);
  let offset = headLength;
  for (let at = 0; at < parts.length; ) {
    const part = parts[at] as AbiValue;
    if (part.type === 'bool') {
      const run = parts.slice(at, at + 8);
      const end = run.findIndex(({ type }) => type !== 'bool');
      const booleans = end === -1 ? run : run.slice(0, end);
      const bits = booleans.map(({ value }) => (value === true ? '1' : '0')).join('');
      heads.push(Buffer.from([Number.parseInt(bits.padEnd(8, '0'), 2)]));
      at += booleans.length;
      continue;
    }
    const value = encodeValue(part);
    if (part.type === 'string') {
      heads.push(uint16(offset));
      tails.push(value);
      offset += value.length;
    } else heads.push(value);
    at += 1;
  }
  return Buffer.concat([...heads, ...tails]);
}

/** The first 4 bytes of a signature's hash. */
export function selector(signature: string): Buffer {
  return hash('sha512-256', signature, 'buffer').subarray(0, 4);
}

function lengthOfHeads(parts: readonly AbiValue[]): number {
  let length = 0;
  let run = 0;
  for (const part of parts) {
    run = part.type === 'bool' ? run + 1 : 0;
    if (part.type === 'bool') length += run % 8 === 1 ? 1 : 0;
    else length += part.type === 'string' ? 2 : encodeValue(part).length;
  }
  return length;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
