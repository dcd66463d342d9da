import type { DatabaseSync } from 'node:sqlite';
import { wallSeconds } from '#core/clock';

/** Notes that the transaction changes what is shown. @returns the batch, and when it was, in seconds since 1970 */
export function addBatch(db: DatabaseSync): { readonly id: number; readonly at: number } {
  const at = wallSeconds();
  const row = db
    .prepare(
      `INSERT INTO batch (id, last_seq, committed_at)
       VALUES ((SELECT coalesce(max(id), 0) + 1 FROM batch),
               (SELECT coalesce(max(seq), 0) FROM activity), ?) RETURNING id`,
    )
    .get(at);
  return { id: Number(row?.id), at };
}
