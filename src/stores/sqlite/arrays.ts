import type { SQLInputValue, StatementSync } from 'node:sqlite';

/** Rows as arrays in the order of the columns, which come over twice as fast as objects. */
export function rowsOf<T extends unknown[]>(
  statement: StatementSync,
  ...values: readonly SQLInputValue[]
): T[] {
  return arraysOf(statement).all(...values) as unknown as T[];
}

/** A statement that gives rows as arrays from now on. */
export function arraysOf(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}
