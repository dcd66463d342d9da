import type { MaybePromise } from '#base';
import { TABLES } from '#storage/tables/all';
import {
  columnsOf,
  type DatabaseKind,
  keyColumns,
  postgresTypeOf,
  type Table,
} from '#storage/tables/table';

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
  /** Runs it once for each of these instead, within a transaction. Of SQLite alone. */
  readonly each?: readonly (readonly unknown[])[];
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

/** @returns the number of rows it changed */
export function* run(sql: string, values: readonly unknown[] = []): SqlScript<number> {
  return (yield { wants: 'changes', sql, values }).changes ?? 0;
}

/**
 * Adds a row to a table that both databases have, or changes the one with the same key.
 * @param row values by column; `undefined` is NULL, and what is left out stays as it is
 */
export function* putRow(table: string, row: Readonly<Record<string, unknown>>): SqlScript<void> {
  yield* run(putRowSql(table, Object.keys(row)), Object.values(row));
}

/** Conditions on rows of one community or one account, whose platform and id are `$1` and `$2`. */
export const OF_COMMUNITY = 'platform = $1 AND community = $2';
export const OF_ACCOUNT = 'platform = $1 AND account = $2';

/** Runs statements whose results don't matter. */
export function* runAll(statements: Iterable<Statement>): SqlScript<void> {
  for (const statement of statements) yield statement;
}

export interface AddedBatch {
  readonly number: number;
  /** How many entries the feed has with it. */
  readonly changes: number;
}

/** Where SQLite and Postgres differ. */
export interface Dialect {
  /** A condition that a column's value is in a list. @param list its placeholder, such as `$3` */
  isIn(column: string, list: string): string;
  /**
   * Names an index after a table. SQLite has no statistics, so without the hint it may scan a whole
   * platform; Postgres chooses by itself.
   */
  indexedBy(index: string): string;
  /** In an UPDATE, the number that a new row of the table would get. */
  nextNumber(table: string, column: string): string;
  /**
   * Adds rows in their order, or replaces those with the same key. Run it in a transaction, unless
   * it's a single row.
   * @param rows values in the order of the columns
   * @returns how many it added or replaced
   */
  insert(into: InsertInto, rows: readonly (readonly unknown[])[]): SqlScript<number>;
  /** The elements of a list as a table with a column `value`. @param list its placeholder */
  elements(list: string): string;
  /**
   * After a SELECT of rows to change: waits for transactions that have locked them, and locks them.
   */
  readonly forUpdate: string;
  /** After a SELECT of rows on which others depend: nobody deletes them meanwhile. */
  readonly forKeyShare: string;
  /** After a SELECT of rows to delete: skips rows that another transaction has locked. */
  readonly skipLocked: string;
  /** Waits until nobody else writes to the ledger, and keeps others from it until the transaction ends. */
  lockLedger(): SqlScript<void>;
  /**
   * Adds a batch to the ledger and has its readers notified. Call `lockLedger` first.
   * @param changes how many entries it adds to the feed
   */
  addBatchRow(at: number, changes: number): SqlScript<AddedBatch>;
  /**
   * Locks an account exclusively until the transaction ends. @param account as named by
   * `accountKey`
   */
  lockAccount(account: string): SqlScript<void>;
  /** Keeps others from locking an account exclusively until the transaction ends. */
  shareAccount(account: string): SqlScript<void>;
  /** Locks wallets until the transaction ends. Call `lockAccount` first, so no two deadlock. */
  lockWallets(platform: string, addresses: readonly string[]): SqlScript<void>;
}

/**
 * Runs scripts on one database.
 * @throws RetryableError if the database is unavailable
 */
export interface SqlRunner {
  readonly dialect: Dialect;
  /** Runs each statement on its own. */
  query<T>(script: () => SqlScript<T>): MaybePromise<T>;
  /** Commits all of it or nothing. Retries if another transaction conflicts. */
  transact<T>(script: () => SqlScript<T>): MaybePromise<T>;
  /**
   * Runs a statement that may violate a unique index.
   * @returns whether it changed anything
   */
  changeUnlessDuplicate(sql: string, values: readonly unknown[]): MaybePromise<boolean>;
  /** Reads everything as of one moment. */
  snapshot<T>(script: () => SqlScript<T>): MaybePromise<T>;
}

/** `SqlRunner.transact` while nobody else writes to the ledger. */
export function transactAlone<T>(sql: SqlRunner, script: () => SqlScript<T>): MaybePromise<T> {
  return sql.transact(function* () {
    yield* sql.dialect.lockLedger();
    return yield* script();
  });
}

/** What to do with a row whose key is there already. */
type Clash = 'fails' | 'replaces' | 'skips';

/** How rows are added to a table: see `Dialect.insert`. */
export interface InsertInto {
  /** One row a statement in SQLite, lists of values by column in Postgres. */
  readonly sql: Readonly<Record<DatabaseKind, string>>;
  /** The places of the key's columns in a row; none if no row is replaced. */
  readonly key: readonly number[];
}

/** @param table one that both databases have */
export function insertInto(
  table: string,
  columns: readonly string[],
  clash: Clash = 'fails',
): InsertInto {
  const declared = tableNamed(table);
  const [names, key, kinds] = [columns.join(', '), keyColumns(declared), columnsOf(declared)];
  const skips = clash === 'skips' ? 'ON CONFLICT DO NOTHING' : '';
  const end = clash === 'replaces' ? replacing(key, columns) : skips;
  const lists = columns.map((name, index) => `$${index + 1}::${postgresTypeOf(kinds[name])}[]`);
  return {
    sql: {
      sqlite: `INSERT ${clash === 'replaces' ? 'OR REPLACE ' : ''}INTO ${table} (${names})
        VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')}) ${skips}`,
      postgres: `INSERT INTO ${table} (${names}) SELECT ${names}
        FROM unnest(${lists.join(', ')}) WITH ORDINALITY AS added (${names}, row_place)
        ORDER BY row_place ${end}`,
    },
    key: clash === 'replaces' ? key.map((name) => columns.indexOf(name)) : [],
  };
}

function tableNamed(table: string): Table {
  const declared = TABLES.find(({ name }) => name === table);
  if (declared === undefined) throw new Error(`no table ${table} is declared`);
  return declared;
}

/** The SQL of `putRow`. */
function putRowSql(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')})
    VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')})
    ${replacing(keyColumns(tableNamed(table)), columns)}`;
}

/** The end of an INSERT that replaces rows with the same key. */
export function replacing(key: readonly string[], columns: readonly string[]): string {
  const others = columns.filter((name) => !key.includes(name));
  if (others.length === 0) return 'ON CONFLICT DO NOTHING';
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`;
}
