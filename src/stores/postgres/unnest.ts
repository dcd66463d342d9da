/** How many rows a statement writes: so few that it is done long before its time is over. */
const AT_ONCE = 5_000;

/** A list in parts, each for a statement of its own within one transaction. */
export function* chunksOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    yield items.slice(start, start + AT_ONCE);
  }
}

/**
 * The values of a list column by column, as `unnest` takes them: a statement may have no more than
 * 65,535 parameters, but a parameter may be a long list.
 */
export function unnestColumns<T>(
  items: readonly T[],
  ...columns: readonly ((item: T) => unknown)[]
): unknown[][] {
  return columns.map((column) => items.map(column));
}
