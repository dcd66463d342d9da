import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate as migratePostgres } from '#storage/postgres/migrate';
import { migrate as migrateSqlite } from '#storage/sqlite/migrate';
import { Tally } from '#storage/transfer';
import { MOVED_TABLES } from '#storage/transfer/endpoint';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { silentLog } from '../support/log.ts';
import { queryDatabase } from '../support/postgres/database.ts';

/**
 * What isn't moved with a store: what is momentary (live replicas, claims, deliveries), and what each store
 * records about itself. Anything else that a migration adds must be moved.
 */
const LEFT_BEHIND = new Set([
  'schema_version',
  'replica',
  'claim',
  'work',
  'delivery',
  'batch.summed',
  // A trigger derives it from `busy_activity`.
  'busy_day',
]);

const KINDS: Readonly<Record<string, string>> = {
  INTEGER: 'integer',
  TEXT: 'text',
  BLOB: 'bytes',
  bigint: 'integer',
  integer: 'integer',
  smallint: 'integer',
  text: 'text',
  bytea: 'bytes',
};

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** Its position in the primary key, starting at 1; 0 if it isn't part of it. */
  readonly key: number;
}

/** Tables as the transfer would describe them. */
function described(columns: readonly Column[]) {
  const tables: Record<string, { columns: Record<string, string>; key: string[] }> = {};
  for (const { table, column, type, key } of columns) {
    if (LEFT_BEHIND.has(table) || LEFT_BEHIND.has(`${table}.${column}`)) continue;
    tables[table] ??= { columns: {}, key: [] };
    tables[table].columns[column] = KINDS[type] ?? `an unknown kind: ${type}`;
    if (key > 0) tables[table].key[key - 1] = column;
  }
  return tables;
}

const LISTED = Object.fromEntries(
  MOVED_TABLES.map(({ name, columns, key }) => [name, { columns, key }]),
);

describe('the tables that move', () => {
  it('are all tables of SQLite, with all their columns', () => {
    const db = new DatabaseSync(':memory:');
    migrateSqlite(db);
    // Which file a log belongs to is of that file alone.
    const columns = db
      .prepare(
        `SELECT m.name AS "table", c.name AS "column", c.type, c.pk AS "key"
         FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
         WHERE m.type = 'table' AND m.name <> 'lineage'`,
      )
      .all();
    db.close();
    expect(described(columns as unknown as Column[])).toEqual(LISTED);
  });

  describe('of Postgres', () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await startCluster();
    });
    afterAll(() => cluster.remove());

    it('are all tables, with all their columns', async () => {
      const url = await cluster.createDatabase();
      await migratePostgres(url, silentLog);
      const rows = await queryDatabase(
        url,
        `SELECT c.table_name AS "table", c.column_name AS "column", c.data_type AS type,
           coalesce(k.ordinal_position, 0)::int AS key
         FROM information_schema.columns AS c
         LEFT JOIN information_schema.table_constraints AS t
           ON t.table_schema = c.table_schema AND t.table_name = c.table_name
             AND t.constraint_type = 'PRIMARY KEY'
         LEFT JOIN information_schema.key_column_usage AS k
           ON k.constraint_name = t.constraint_name AND k.table_schema = c.table_schema
             AND k.table_name = c.table_name AND k.column_name = c.column_name
         WHERE c.table_schema = 'fathom'`,
      );
      expect(described(rows as unknown as Column[])).toEqual(LISTED);
    });
  });
});

describe("a table's checksum", () => {
  const table = {
    name: 't',
    columns: { a: 'integer', b: 'text', c: 'bytes' },
    key: ['a'],
  } as const;
  const ROWS = [
    [1, 'x', null],
    [2, '', Uint8Array.of(0, 255)],
    [3, null, Uint8Array.of()],
  ] as const;

  function checksum(rows: Parameters<Tally['add']>[0][]): string {
    const tally = new Tally(table);
    for (const row of rows) tally.add(row);
    return tally.checksum;
  }

  it("doesn't depend on the order of the rows", () => {
    expect(checksum([...ROWS].reverse())).toBe(checksum([...ROWS]));
  });

  it.each([
    ['an integer that is a text', [['1', 'x', null], ROWS[1], ROWS[2]]],
    ['nothing in place of an empty text', [ROWS[0], [2, null, Uint8Array.of(0, 255)], ROWS[2]]],
    ['another byte', [ROWS[0], [2, '', Uint8Array.of(0, 254)], ROWS[2]]],
    ['nothing in place of no bytes', [ROWS[0], ROWS[1], [3, null, null]]],
    ['values in other columns', [[1, null, 'x'], ROWS[1], ROWS[2]]],
    ['a row that is missing', [ROWS[0], ROWS[1]]],
    ['a row that is there twice', [ROWS[0], ROWS[0], ROWS[1], ROWS[2]]],
    ['one row twice and another not at all', [ROWS[0], ROWS[0], ROWS[2]]],
  ] as [string, Parameters<Tally['add']>[0][]][])('detects %s', (_, rows) => {
    expect(checksum(rows)).not.toBe(checksum([...ROWS]));
  });

  it('detects one different value among many rows', () => {
    const tally = new Tally(table);
    const other = new Tally(table);
    for (let i = 0; i < 20_000; i++) tally.add([i, 'x', null]);
    for (let i = 0; i < 20_000; i++) other.add([i === 19_999 ? -1 : i, 'x', null]);
    expect(other.rows).toBe(tally.rows);
    expect(other.equals(tally)).toBe(false);
  });
});
