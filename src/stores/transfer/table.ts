/** What a column holds; any of them may be empty (NULL). Truth values are integers, 0 or 1. */
type ColumnKind = 'integer' | 'text' | 'bytes';

/** A table whose rows mean the same in every store. */
export interface TransferTable {
  readonly name: string;
  /** Kind by name, in the order in which rows have their values. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** Of the primary key, in its order. */
  readonly key: readonly string[];
}
