import { UserError } from '#base';
import { TABLES } from '#storage/tables/all';
import { columnsOf, keyColumns, storedAs, type Table } from '#storage/tables/table';

export type CellValue = number | string | Uint8Array | null;
/** Values in column order. */
export type TransferRow = readonly CellValue[];

/** What a URL leads to: no store, one without rows, or one with rows. */
export type StoreContents = 'nothing' | 'empty' | 'filled';

/** Rows read or written per batch. */
export const BATCH_ROWS = 5_000;

/** Dispose it when done; an uncommitted target stays as it was. */
interface TransferEnd extends AsyncDisposable {
  /** All rows in key order, at most BATCH_ROWS at a time. */
  rows(table: TransferTable): AsyncIterable<readonly TransferRow[]>;
}

/** A store to read, as of one moment. */
export interface TransferSource extends TransferEnd {
  count(table: TransferTable): Promise<number>;
}

/** A store to fill in one transaction; `rows` shows what is in it so far. */
export interface TransferTarget extends TransferEnd {
  write(table: TransferTable, rows: readonly TransferRow[]): Promise<void>;
  /** Call it once all rows are written. */
  commit(): Promise<void>;
}

/**
 * A kind of store. All methods throw RetryableError if the store is unavailable, and UserError
 * `wrong-configuration` if it can't be used.
 */
export interface TransferKind {
  /** Its human-readable name, without a password. */
  nameOf(location: string): string;
  /** Changes nothing. @param location what follows the scheme, or the whole URL */
  inspect(location: string): Promise<StoreContents>;
  /** Whether a service uses it now. Changes nothing. */
  isServed(location: string): Promise<boolean>;
  /** For how many seconds a service that was killed still counts as using it. */
  readonly servedAfterKill: number;
  /** Requires the newest schema. */
  openSource(location: string): Promise<TransferSource>;
  /**
   * Requires the newest schema and no rows; locks out other writers until it is disposed.
   * @throws UserError `wrong-configuration` if it has rows by now
   */
  openTarget(location: string): Promise<TransferTarget>;
}

export function selectOf({ name, columns, key }: TransferTable): string {
  return `SELECT ${Object.keys(columns).join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`;
}

/** @param name human-readable name of a store */
export function notEmpty(name: string): UserError {
  return new UserError(
    'wrong-configuration',
    `${name} isn't empty. We left it unchanged; use a new file or an empty database.`,
  );
}

/** A column's type; any may be NULL. Booleans are integers, 0 or 1. */
type MovedKind = 'integer' | 'text' | 'bytes';

/** A table whose rows mean the same in every store. */
export interface TransferTable {
  readonly name: string;
  /** Type by name, in the order of a row's values. */
  readonly columns: Readonly<Record<string, MovedKind>>;
  /** Columns of the primary key, in order. */
  readonly key: readonly string[];
  /** Columns that Postgres alone has, with their values for moved rows. */
  readonly postgresOnly?: Readonly<Record<string, string>>;
}

const KINDS = { INTEGER: 'integer', TEXT: 'text', BLOB: 'bytes' } as const;

/** Everything that moves with a store. */
export const MOVED_TABLES = movedTables(TABLES);

/** What moves of these tables: all that isn't momentary or derived. */
export function movedTables(tables: readonly Table[]): readonly TransferTable[] {
  return tables.filter(({ isLeftBehind }) => !isLeftBehind).map(movedTable);
}

function movedTable(table: Table): TransferTable {
  const columns: Record<string, MovedKind> = {};
  const postgresOnly: Record<string, string> = {};
  for (const [name, column] of Object.entries(columnsOf(table))) {
    const type = storedAs(column);
    if (type !== undefined) columns[name] = KINDS[type];
    else if (typeof column === 'object') postgresOnly[name] = column.moved ?? '';
  }
  return { name: table.name, columns, key: keyColumns(table), postgresOnly };
}
