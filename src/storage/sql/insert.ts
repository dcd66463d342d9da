import { TABLES } from '#storage/tables/all';
import {
  columnsOf,
  type DatabaseKind,
  keyColumns,
  postgresTypeOf,
  type Table,
} from '#storage/tables/table';

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
export function putRowSql(table: string, columns: readonly string[]): string {
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
