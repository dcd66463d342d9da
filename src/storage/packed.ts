/**
 * Parses what a database packs: thousands of values in one text. Passing a row from the database to
 * JavaScript costs far more than parsing it; packed, ten million take seconds.
 */

const COMMA = 44;
const MINUS = 45;
const ZERO = 48;

/** Writes the comma-separated integers of `text` (ASCII) to `into`. @returns how many */
export function readIntegers(text: Uint8Array, into: Float64Array | Uint32Array): number {
  const length = text.length;
  if (length === 0) return 0;
  let count = 0;
  let value = 0;
  let sign = 1;
  for (let i = 0; i < length; i++) {
    const code = text[i] as number;
    if (code === COMMA) {
      into[count++] = sign * value;
      value = 0;
      sign = 1;
    } else if (code === MINUS) sign = -1;
    else value = value * 10 + (code - ZERO);
  }
  into[count++] = sign * value;
  return count;
}

/**
 * Gives the memory of bytes back that nothing reads any more. At a start the collector would let tens of
 * megabytes of such pages wait.
 */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes;
  // Small ones may share their memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
}

/** Splits the first `count` pairs, each encoded as `left * unit + right`. */
export function unpair(
  pairs: Float64Array,
  count: number,
  unit: number,
  left: Uint32Array,
  right: Uint8Array,
): void {
  for (let i = 0; i < count; i++) {
    const pair = pairs[i] as number;
    const whole = Math.floor(pair / unit);
    left[i] = whole;
    right[i] = pair - whole * unit;
  }
}
