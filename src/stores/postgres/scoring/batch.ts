import type { Queries } from '#stores/postgres/database';
import { COMMIT_CHANNEL } from '#stores/postgres/ledger/channel';

// The sums of activities don't change by it, so it is in them as soon as all before it are.
const ADD_SQL = `
  INSERT INTO batch (id, last_seq, committed_at, summed)
  VALUES ((SELECT coalesce(max(id), 0) + 1 FROM batch),
          (SELECT coalesce(max(seq), 0) FROM activity), $1,
          NOT EXISTS (SELECT FROM batch WHERE NOT summed))
  RETURNING id`;

/**
 * Notes that the transaction, of who alone may write, changes what is shown.
 * @param at seconds since 1970
 * @returns the batch
 */
export async function addBatch({ rows, run }: Queries, at: number): Promise<number> {
  const [row] = await rows(ADD_SQL, [at]);
  await run(`SELECT pg_notify('${COMMIT_CHANNEL}', $1)`, [String(row?.id)]);
  return Number(row?.id);
}
