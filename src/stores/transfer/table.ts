/** A column's type; any may be NULL. Booleans are integers, 0 or 1. */
type ColumnKind = 'integer' | 'text' | 'bytes';

/** A table whose rows mean the same in every store. */
export interface TransferTable {
  readonly name: string;
  /** Type by name, in the order of a row's values. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** Columns of the primary key, in order. */
  readonly key: readonly string[];
}
