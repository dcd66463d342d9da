import { UserError } from '#core/errors';
import type { TransferTable } from './table.ts';

export type CellValue = number | string | Uint8Array | null;
/** Values in the order of the table's columns. */
export type TransferRow = readonly CellValue[];

/** What is found where a URL leads to: no store, one without a row, or one with rows. */
export type StoreContents = 'nothing' | 'empty' | 'filled';

/** Rows that are read or written at a time. */
export const BATCH_ROWS = 5_000;

/** To be disposed of; a target that was not committed is then as it was found. */
interface TransferEnd extends AsyncDisposable {
  /** All rows in the order of the key, at most BATCH_ROWS at a time. */
  rows(table: TransferTable): AsyncIterable<readonly TransferRow[]>;
}

/** A store that is read, as it was at one moment. */
export interface TransferSource extends TransferEnd {
  count(table: TransferTable): Promise<number>;
}

/** A store that is filled in one transaction; `rows` shows what is in it so far. */
export interface TransferTarget extends TransferEnd {
  write(table: TransferTable, rows: readonly TransferRow[]): Promise<void>;
  /** To be called when all rows are in. */
  commit(): Promise<void>;
}

/**
 * One kind of store. Everything throws RetryableError when the store can't be had now, and UserError
 * `wrong-configuration` when it can't be used.
 */
export interface TransferKind {
  /** What it is called in words for people, without a password. */
  nameOf(location: string): string;
  /** Changes nothing. @param location what follows the scheme, or the whole URL */
  look(location: string): Promise<StoreContents>;
  /** Whether a service uses it now. The store must have the newest schema. */
  isServed(location: string): Promise<boolean>;
  /** The store must have the newest schema. */
  openSource(location: string): Promise<TransferSource>;
  /**
   * The store must have the newest schema and no rows; others can't write to it until it is disposed of.
   * @throws UserError `wrong-configuration` when there are rows in it by now
   */
  openTarget(location: string): Promise<TransferTarget>;
}

export function selectOf({ name, columns, key }: TransferTable): string {
  return `SELECT ${Object.keys(columns).join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`;
}

/** @param name of a store, for people */
export function notEmpty(name: string): UserError {
  return new UserError(
    'wrong-configuration',
    `${name} isn't empty. We left it unchanged; use a new file or an empty database.`,
  );
}
