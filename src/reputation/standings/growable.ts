/**
 * A copy of a typed array with room for at least `length` elements. It grows by a quarter rather
 * than a half: with millions of wallets, slack is wasted memory.
 */
export function grown<T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(
  array: T,
  length: number,
): T {
  if (length <= array.length) return array;
  const size = Math.max(length, Math.ceil(array.length * 1.25), 1024);
  const bigger = new (array.constructor as new (size: number) => T)(size);
  bigger.set(array);
  return bigger;
}
