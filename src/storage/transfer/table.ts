import { TABLES } from '#storage/tables/all';
import { columnsOf, keyColumns, storedAs, type Table } from '#storage/tables/table';

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
