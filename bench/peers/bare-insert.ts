import { openDatabase, transaction } from '../../src/storage/sqlite/database.ts';
import { ACTIVITY_TABLE } from '../../src/storage/tables/ledger.ts';
import { createTable } from '../../src/storage/tables/table.ts';
import type { Shape } from '../data.ts';
import { ledgerRows } from '../ledger-rows.ts';

/**
 * A bare loop of prepared inserts into the ledger's own table with its unique key: no parsing, no
 * validation, no further index, no read model. Rows are generated between the transactions, outside
 * the timed part. Timed: inserts, commits and closing the file.
 */

/** As many as the importer puts into one transaction. */
const BATCH = 50_000;

type Row = [wallet: number, id: string, type: string, text: string, points: number, time: number];

const shape: Shape = JSON.parse(process.env.SHAPE ?? '');

// The store's own opener, so that all settings match; then the ledger's table alone, and the stamp of each transaction.
const db = openDatabase(process.env.FILE ?? '');
const tables = db.prepare(
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('sqlite_sequence', 'lineage')",
);
for (const { name } of tables.all()) db.exec(`DROP TABLE "${name}"`);
db.exec(createTable(ACTIVITY_TABLE, 'sqlite'));
const insert = db.prepare(
  'INSERT INTO activity (wallet, id, type, description, points, timestamp, badge) VALUES (?, ?, ?, ?, ?, ?, ?)',
);

const rowOf = ledgerRows(shape);

function makeRow(line: number): [...Row, badge: number | null] {
  const { wallet, id, type, description, points, timestamp, badge } = rowOf(line);
  return [wallet, id, type, description, points, timestamp, badge];
}

let milliseconds = 0;
for (let from = 0; from < shape.lines; from += BATCH) {
  const length = Math.min(BATCH, shape.lines - from);
  const rows = Array.from({ length }, (_, i) => makeRow(from + i));
  const began = performance.now();
  transaction(db, () => {
    for (const row of rows) insert.run(...row);
  });
  milliseconds += performance.now() - began;
}
const count = Number(db.prepare('SELECT count(*) AS n FROM activity').get()?.n);
const closing = performance.now();
db.close();
milliseconds += performance.now() - closing;
process.stdout.write(JSON.stringify({ seconds: milliseconds / 1000, rows: count }));
