import type { DateOrder } from './cells.ts';

/** A part of the source that a row's event gets. */
export type SourcePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'row' }
  | { readonly kind: 'address' }
  | { readonly kind: 'timestamp' }
  | { readonly kind: 'column'; readonly column: number };

/** How the rows of a spreadsheet become events. Columns count from 0. */
export interface SheetPlan {
  readonly separator: string;
  /** Whether the first row has the names of the columns. */
  readonly hasHeader: boolean;
  readonly event: string;
  readonly address: number;
  /** The column with the time, or one time for all rows, in seconds since 1970. */
  readonly time: { readonly column: number } | { readonly at: number };
  readonly source: readonly SourcePart[];
  readonly args: readonly { readonly name: string; readonly column: number }[];
  readonly order: DateOrder | undefined;
  readonly from1904: boolean;
  /** Undefined if it isn't known: then times without a zone are refused. */
  readonly zone: string | undefined;
  /** Which one a time is that clocks showed twice; undefined to refuse it. */
  readonly twice: 'earlier' | 'later' | undefined;
  /** Addresses by name, both as they are compared. */
  readonly names: readonly (readonly [name: string, address: string])[];
  /** Why the other names have no address, by name. */
  readonly unnamed: readonly (readonly [name: string, reason: string])[];
}

/** What a sheet's row is: its cells, and its number as a spreadsheet shows it, from 1. */
export interface SheetRow {
  readonly cells: readonly string[];
  readonly row: number;
}

/** How names are compared with each other. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
