import { UserError } from '#base';
import type { TransferTable } from './table.ts';

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
  look(location: string): Promise<StoreContents>;
  /** Whether a service uses it now. Requires the newest schema. */
  isServed(location: string): Promise<boolean>;
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
