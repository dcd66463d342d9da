import { wallSeconds } from '#base';
import type { ChangePart } from '#storage/changes/packed-changes';
import {
  ADD_PARTS_SQL,
  ADD_SWITCH_SQL,
  countOf,
  partValues,
} from '#storage/postgres/changes/write';
import type { Queries } from '#storage/postgres/database';
import { COMMIT_CHANNEL } from '#storage/postgres/ledger/channel';

// The sums of activities don't change by it, so it is in them as soon as all before it are.
const ADD_SQL = `
  INSERT INTO batch (id, last_seq, committed_at, changes, summed)
  VALUES ((SELECT coalesce(max(id), 0) + 1 FROM batch),
          (SELECT coalesce(max(seq), 0) FROM activity), $1,
          $2 + coalesce((SELECT changes FROM batch ORDER BY id DESC LIMIT 1), 0),
          NOT EXISTS (SELECT FROM batch WHERE NOT summed))
  RETURNING id, changes`;

interface NewBatch {
  /** Seconds since 1970; now by default. */
  readonly at?: number;
  /** What changes by it. */
  readonly changes?: readonly ChangePart[];
  /** The edition of rules that goes live by it. */
  readonly edition?: number;
}

/**
 * Records that the transaction, which has the write lock, changes what is shown, and how.
 * @returns the batch's id
 */
export async function addBatch(
  { rows, run }: Queries,
  { at = wallSeconds(), changes = [], edition }: NewBatch = {},
): Promise<number> {
  const count = countOf(changes) + (edition === undefined ? 0 : 1);
  const [row] = await rows(ADD_SQL, [at, count]);
  const id = Number(row?.id);
  const first = Number(row?.changes) - count + 1;
  if (edition !== undefined) await run(ADD_SWITCH_SQL, [first, id, edition]);
  if (changes.length > 0) {
    const start = edition === undefined ? first : first + 1;
    await run(ADD_PARTS_SQL, partValues(changes, start, id));
  }
  await run(`SELECT pg_notify('${COMMIT_CHANNEL}', $1)`, [String(id)]);
  return id;
}
