import type { MaybePromise } from '#core/maybe-promise';

export type Row = Readonly<Record<string, unknown>>;

/** What one statement answers with, whichever of these was asked for. */
export interface StatementResult {
  readonly rows?: readonly Row[];
  /** Rows as arrays in the order of the columns, where there may be too many of them for objects. */
  readonly arrays?: readonly (readonly unknown[])[];
  /** How many rows it changed. */
  readonly changes?: number;
}

/** A statement with its values, `$1` being the first. A value may be a list; see `Dialect.isIn`. */
export interface Statement {
  readonly wants: keyof StatementResult;
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * Work on a database, written once for SQLite, which answers at once, and for Postgres, which
 * answers later: it yields statements and goes on with their results.
 */
export type SqlScript<T> = Generator<Statement, T, StatementResult>;

export function* rows(sql: string, values: readonly unknown[] = []): SqlScript<readonly Row[]> {
  return (yield { wants: 'rows', sql, values }).rows ?? [];
}

export function* firstRow(
  sql: string,
  values: readonly unknown[] = [],
): SqlScript<Row | undefined> {
  return (yield* rows(sql, values))[0];
}

export function* arrays(
  sql: string,
  values: readonly unknown[] = [],
): SqlScript<readonly (readonly unknown[])[]> {
  return (yield { wants: 'arrays', sql, values }).arrays ?? [];
}

/** @returns how many rows it changed */
export function* run(sql: string, values: readonly unknown[] = []): SqlScript<number> {
  return (yield { wants: 'changes', sql, values }).changes ?? 0;
}

/** Runs statements whose results don't matter. */
export function* runAll(statements: Iterable<Statement>): SqlScript<void> {
  for (const statement of statements) yield statement;
}

/** What the databases say differently. */
export interface Dialect {
  /** A condition that holds for the elements of a list. @param list its place, such as `$3` */
  isIn(column: string, list: string): string;
  /**
   * Names an index after a table. SQLite has no statistics, so without the name it may go through a
   * whole platform; Postgres finds it by itself.
   */
  indexedBy(index: string): string;
  /** The elements of a list as a table with a column `value`. @param list its place */
  elements(list: string): string;
  /** After a SELECT of rows to change: waits for transactions that are at them, and holds them. */
  readonly forUpdate: string;
  /** After a SELECT of rows to delete: leaves out those that another transaction is at. */
  readonly skipLocked: string;
  /** Holds an account until the transaction ends, alone. @param account as `accountKey` names it */
  lockAccount(account: string): SqlScript<void>;
  /** Holds wallets until the transaction ends. To be called after `lockAccount`, so no two wait for each other. */
  lockWallets(platform: string, addresses: readonly string[]): SqlScript<void>;
}

/**
 * Runs scripts on one database.
 * @throws RetryableError when the database can't be had
 */
export interface SqlRunner {
  readonly dialect: Dialect;
  /** Each statement by itself. */
  query<T>(script: () => SqlScript<T>): MaybePromise<T>;
  /** All of it is in, or nothing. Runs again where another transaction got in the way. */
  transact<T>(script: () => SqlScript<T>): MaybePromise<T>;
  /**
   * Runs one statement that a unique index may refuse.
   * @returns whether it changed anything
   */
  changeUnlessDuplicate(sql: string, values: readonly unknown[]): MaybePromise<boolean>;
  /** Reads everything as it is at one moment. */
  snapshot<T>(script: () => SqlScript<T>): MaybePromise<T>;
}
