import type { DatabaseSync } from 'node:sqlite';
import { wallSeconds } from '#base';
import type { ChangePart } from '#storage/changes/packed-changes';

interface NewBatch {
  /** Seconds since 1970; now by default. */
  readonly at?: number;
  /** What changes by it. */
  readonly changes?: readonly ChangePart[];
  /** The edition of rules that goes live by it. */
  readonly edition?: number;
}

/** Records that the transaction changes what is shown, and how. @returns the batch */
export function addBatch(
  db: DatabaseSync,
  { at = wallSeconds(), changes = [], edition }: NewBatch = {},
): { readonly id: number; readonly at: number } {
  const isSwitch = edition !== undefined;
  const count = changes.reduce((sum, part) => sum + part.count, isSwitch ? 1 : 0);
  const row = db
    .prepare(
      `INSERT INTO batch (id, last_seq, committed_at, changes)
       VALUES ((SELECT coalesce(max(id), 0) + 1 FROM batch),
               (SELECT coalesce(max(seq), 0) FROM activity), ?,
               ? + coalesce((SELECT changes FROM batch ORDER BY id DESC LIMIT 1), 0))
       RETURNING id, changes`,
    )
    .get(at, count);
  const id = Number(row?.id);
  if (count === 0) return { id, at };
  const add = db.prepare(
    'INSERT INTO change_part (first, count, batch, edition, changes) VALUES (?, ?, ?, ?, ?)',
  );
  let first = Number(row?.changes) - count + 1;
  if (isSwitch) add.run(first++, 1, id, edition, new Uint8Array());
  for (const part of changes) {
    add.run(first, part.count, id, null, part.bytes);
    first += part.count;
  }
  return { id, at };
}
