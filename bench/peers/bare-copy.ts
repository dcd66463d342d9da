import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Shape } from '../data.ts';
import { ledgerRows } from '../ledger-rows.ts';

/**
 * A bare COPY into the ledger's own table with its keys: no parsing, validation, staging or read
 * model. Rows are generated between the transactions, outside the timed part, in the import's
 * order. Timed: COPY and COMMIT, in transactions as large as the importer's.
 */

const BATCH = 50_000;

const shape: Shape = JSON.parse(process.env.SHAPE ?? '');
const client = new pg.Client({
  connectionString: process.env.DATABASE_URL,
  options: '-c search_path=fathom',
});
await client.connect();

const rowOf = ledgerRows(shape);

function makeRow(line: number): string {
  const { wallet, id, type, description, points, timestamp, badge } = rowOf(line);
  const cells = [line + 1, wallet, id, type, description, points, timestamp, badge ?? '\\N'];
  return `${cells.join('\t')}\n`;
}

let milliseconds = 0;
for (let from = 0; from < shape.lines; from += BATCH) {
  const length = Math.min(BATCH, shape.lines - from);
  const text = Array.from({ length }, (_, i) => makeRow(from + i)).join('');
  const began = performance.now();
  await client.query('BEGIN');
  const into = client.query(
    copyFrom(
      'COPY activity (seq, wallet, id, type, description, points, timestamp, badge) FROM STDIN',
    ),
  );
  await pipeline(Readable.from([text]), into);
  await client.query('COMMIT');
  milliseconds += performance.now() - began;
}
const { rows } = await client.query('SELECT count(*)::int AS n FROM activity');
await client.end();
process.stdout.write(JSON.stringify({ seconds: milliseconds / 1000, rows: rows[0]?.n }));
