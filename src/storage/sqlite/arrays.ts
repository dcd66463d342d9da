import type { SQLInputValue, StatementSync } from 'node:sqlite';

/** Rows as arrays in column order, which are twice as fast as objects. */
export function rowsOf<T extends unknown[]>(
  statement: StatementSync,
  ...values: readonly SQLInputValue[]
): T[] {
  return arraysOf(statement).all(...values) as unknown as T[];
}

/** Makes a statement return rows as arrays. */
export function arraysOf(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}
