import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { RetryableError, UserError } from '#base';
import { type TextColumn, textAt } from '#reputation';
import type { ChangePart } from '#storage/changes/packed-changes';
import type { BatchName } from '#storage/following/position';
import type { DedicatedConnection } from '#storage/postgres/connection';
import { errorCodeOf, UNDEFINED_TABLE } from '#storage/postgres/errors';
import { type AddedBatch, firstRow, run, type SqlScript } from '#storage/sql/script';

/** NOTIFY channel for commits to the ledger. */
export const COMMIT_CHANNEL = 'fathom_ledger';

// The sums of activities don't change by it, so it is in them as soon as all before it are.
const ADD_SQL = `
  INSERT INTO batch (id, last_seq, committed_at, changes, summed)
  VALUES ((SELECT coalesce(max(id), 0) + 1 FROM batch),
          (SELECT coalesce(max(seq), 0) FROM activity), $1,
          $2 + coalesce((SELECT changes FROM batch ORDER BY id DESC LIMIT 1), 0),
          NOT EXISTS (SELECT FROM batch WHERE NOT summed))
  RETURNING id, changes`;

/** See `Dialect.addBatchRow`. */
export function* addBatchRow(at: number, changes: number): SqlScript<AddedBatch> {
  const row = yield* firstRow(ADD_SQL, [at, changes]);
  yield* run(`SELECT pg_notify('${COMMIT_CHANNEL}', $1)`, [String(row?.id)]);
  return { number: Number(row?.id), changes: Number(row?.changes) };
}

/** Adds parts of the feed: first numbers, counts and contents ($1 to $3) of a batch ($4). */
export const ADD_PARTS_SQL = `
  INSERT INTO change_part (first, count, changes, batch)
  SELECT *, $4::bigint FROM unnest($1::bigint[], $2::integer[], $3::bytea[])`;

/** Values for `ADD_PARTS_SQL`. @param first number of the first entry */
export function partValues(parts: readonly ChangePart[], first: number, batch: number): unknown[] {
  const firsts: number[] = [];
  let next = first;
  for (const { count } of parts) {
    firsts.push(next);
    next += count;
  }
  const bytes = parts.map((part) => Buffer.from(part.bytes));
  return [firsts, parts.map(({ count }) => count), bytes, batch];
}

export function countOf(parts: readonly ChangePart[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Verifies that a committed batch still exists. After a failover the new primary may lack the last
 * commits, and so does a restored backup.
 * @param name of the database, human-readable
 * @throws UserError `commits-lost`; RetryableError if a read replica answers, which proves nothing
 */
export async function requireCommitted(
  { client }: DedicatedConnection,
  { id, uid }: BatchName,
  name: string,
): Promise<void> {
  const { rows } = await client
    .query(`SELECT pg_is_in_recovery() AS is_copy, (SELECT uid FROM batch WHERE id = $1) AS uid`, [
      id,
    ])
    .catch((error: unknown) => {
      if (errorCodeOf(error) === UNDEFINED_TABLE) throw lost(name);
      throw error;
    });
  if (rows[0]?.is_copy === true) {
    throw new RetryableError(
      `${name} is a standby now, so we can't tell whether the import is complete. Check DATABASE_URL.`,
    );
  }
  if (rows[0]?.uid !== uid) throw lost(name);
}

function lost(name: string): UserError {
  return new UserError(
    'commits-lost',
    `${name} has lost a committed part of this import: another server took over, or a backup was restored. Run the same command again to add what's missing.`,
  );
}

/**
 * COPY's text format: a row per line, tab-separated columns.
 * https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2
 */

/** Characters per chunk. */
const CHUNK = 64 * 1024;

const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

/** A text as a column value. */
export function copyText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(/[\\\t\n\r]/g, (each) => ESCAPES[each] as string);
}

/** The same for many: usually none needs escaping, and one scan of all of them tells. */
export function copyTexts(column: TextColumn): (place: number) => string {
  if (!SPECIAL.test(column.text)) return (place) => textAt(column, place);
  return (place) => copyText(textAt(column, place));
}

/**
 * Adds rows to a table, the fastest way there is.
 * @param table with its columns in parentheses
 * @param rowAt renders one row with its line feed; rows are rendered while earlier ones are being
 * sent
 * @param whenSent called once all rows are rendered, while the server is still processing them
 */
export async function copyIn(
  { client }: DedicatedConnection,
  table: string,
  count: number,
  rowAt: (place: number) => string,
  whenSent?: () => void,
): Promise<void> {
  if (count === 0) return;
  function* chunks(): Generator<Buffer> {
    let text = '';
    for (let place = 0; place < count; place++) {
      text += rowAt(place);
      if (text.length < CHUNK) continue;
      yield Buffer.from(text);
      text = '';
    }
    yield Buffer.from(text);
    whenSent?.();
  }
  await pipeline(Readable.from(chunks()), client.query(copyFrom(`COPY ${table} FROM STDIN`)));
}
