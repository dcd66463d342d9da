/** Rows per statement: few enough to finish well before its timeout. */
const AT_ONCE = 5_000;

/** Splits a list into chunks, each for its own statement within one transaction. */
export function* chunksOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    yield items.slice(start, start + AT_ONCE);
  }
}

/**
 * The values of a list by column, for `unnest`: a statement may have at most 65,535 parameters, but
 * a parameter may be a long list.
 */
export function unnestColumns<T>(
  items: readonly T[],
  ...columns: readonly ((item: T) => unknown)[]
): unknown[][] {
  return columns.map((column) => items.map(column));
}
