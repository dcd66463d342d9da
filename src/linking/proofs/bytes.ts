/** Concatenates bytes; a number is one byte, a string its ASCII. */
export function concatBytes(...parts: readonly (Uint8Array | string | number)[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'number') return Uint8Array.of(part);
      return typeof part === 'string' ? Buffer.from(part, 'utf8') : part;
    }),
  );
}

export function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
