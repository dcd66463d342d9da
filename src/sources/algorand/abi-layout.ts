/** How an ABI type is encoded. Source: https://dev.algorand.co/arc-standards/arc-0004/ */
export type AbiLayout =
  | { readonly kind: 'address' | 'string' }
  | { readonly kind: 'bool' }
  /** An unsigned integer of this many bytes, big-endian. */
  | { readonly kind: 'integer'; readonly bytes: number }
  /** A value that rules never read. `bytes` is undefined if its length is encoded with it. */
  | { readonly kind: 'opaque'; readonly bytes: number | undefined };

const FIXED: Readonly<Record<string, AbiLayout>> = {
  address: { kind: 'address' },
  string: { kind: 'string' },
  bool: { kind: 'bool' },
  byte: { kind: 'integer', bytes: 1 },
  // Indexes into the transaction's arrays of accounts, assets and applications.
  account: { kind: 'opaque', bytes: 1 },
  asset: { kind: 'opaque', bytes: 1 },
  application: { kind: 'opaque', bytes: 1 },
};
const NUMBER = /^u(int|fixed)(\d+)(?:x\d+)?$/;
const ARRAY = /^(.*)\[(\d*)\]$/;
const BYTE_BITS = 8;

/** @param type in its canonical spelling, already checked by the rules file's parser */
export function layoutOf(type: string): AbiLayout {
  const fixed = FIXED[type];
  if (fixed !== undefined) return fixed;
  const [, form, bits] = NUMBER.exec(type) ?? [];
  if (bits !== undefined) {
    const bytes = Number(bits) / BYTE_BITS;
    return { kind: form === 'int' ? 'integer' : 'opaque', bytes };
  }
  const [, element, count] = ARRAY.exec(type) ?? [];
  if (element !== undefined && count !== undefined) {
    return { kind: 'opaque', bytes: count === '' ? undefined : arrayBytes(element, Number(count)) };
  }
  return { kind: 'opaque', bytes: tupleBytes(partsOf(type).map(layoutOf)) };
}

/** The encoded size if every value of the type has the same; otherwise undefined. */
export function abiSize(layout: AbiLayout): number | undefined {
  switch (layout.kind) {
    case 'address':
      return 32;
    case 'string':
      return undefined;
    case 'bool':
      return 1;
    case 'integer':
    case 'opaque':
      return layout.bytes;
  }
}

function arrayBytes(element: string, count: number): number | undefined {
  const layout = layoutOf(element);
  if (layout.kind === 'bool') return Math.ceil(count / BYTE_BITS);
  const bytes = abiSize(layout);
  return bytes === undefined ? undefined : bytes * count;
}

/** Up to eight booleans in a row share a byte. */
function tupleBytes(parts: readonly AbiLayout[]): number | undefined {
  let bytes = 0;
  let booleans = 0;
  for (const part of parts) {
    const size = abiSize(part);
    if (size === undefined) return undefined;
    booleans = part.kind === 'bool' ? booleans + 1 : 0;
    if (part.kind !== 'bool' || booleans % BYTE_BITS === 1) bytes += size;
  }
  return bytes;
}

/** `(a,(b,c)[])` → `a`, `(b,c)[]` */
function partsOf(tuple: string): string[] {
  const inside = tuple.slice(1, -1);
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= inside.length; at += 1) {
    const sign = inside[at];
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if ((sign === ',' && depth === 0) || (sign === undefined && inside !== '')) {
      parts.push(inside.slice(from, at));
      from = at + 1;
    }
  }
  return parts;
}
