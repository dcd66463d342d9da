import type { Connection } from './connection.ts';

/**
 * The sums in `wallet` follow the ledger in large steps: in a big import nearly every line would
 * change the row of another wallet, which costs as much as the line itself. Batches whose rows are
 * not in the sums yet are marked; who loads the sums adds those rows.
 */

/** Rows after which the sums are brought up to date in the middle of an import. */
export const SUM_AFTER = 10_000_000;

/** For a step that may touch every wallet, whatever was said for the batch before it. */
const PLANNING_SQL = `
  SET LOCAL work_mem = '256MB'; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;
  SET LOCAL enable_seqscan = on`;

/** The batch of a row is the first that ends at it or behind it. */
const ADD_SQL = `
  UPDATE wallet
  SET points = wallet.points + gain.points, activities = wallet.activities + gain.activities,
      updated_at = batches.times[width_bucket(gain.last - 1, batches.ends) + 1]
  FROM (
    SELECT wallet, sum(points)::bigint AS points, count(*)::integer AS activities, max(seq) AS last
    FROM activity WHERE seq > $1 GROUP BY wallet
  ) AS gain, (
    SELECT array_agg(last_seq ORDER BY id) AS ends, array_agg(committed_at ORDER BY id) AS times
    FROM batch WHERE NOT summed
  ) AS batches
  WHERE wallet.id = gain.wallet`;

/**
 * The newest ledger row that is in the sums: that of the last batch before those that are marked.
 * Null when there are no such batches.
 */
const SUMMED_SQL = `
  SELECT coalesce((SELECT last_seq FROM batch WHERE batch.id < first.id ORDER BY id DESC LIMIT 1), 0)
           AS seq
  FROM (SELECT id FROM batch WHERE NOT summed ORDER BY last_seq, id LIMIT 1) AS first`;

async function summedTo({ client }: Connection): Promise<number | undefined> {
  const { rows } = await client.query(SUMMED_SQL);
  return rows[0] === undefined ? undefined : Number(rows[0].seq);
}

/** Waits for the turn to write into the ledger; it lasts until the transaction ends. */
export async function lockLedger({ client }: Connection): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('fathom ledger', 0))`);
}

/** How many rows of the ledger are not in the sums. */
export async function countUnsummed(connection: Connection): Promise<number> {
  const from = await summedTo(connection);
  if (from === undefined) return 0;
  const [row] = await connection.rows('SELECT last_seq FROM batch ORDER BY id DESC LIMIT 1');
  return Number(row?.last_seq) - from;
}

/** Brings the sums up to date, in the transaction of who alone may write. */
export async function addSums(connection: Connection): Promise<void> {
  const { client } = connection;
  const from = await summedTo(connection);
  if (from === undefined) return;
  await client.query(PLANNING_SQL);
  await client.query(ADD_SQL, [from]);
  await client.query('UPDATE batch SET summed = true WHERE NOT summed');
}

/** The same in a transaction of its own. */
export async function settleSums(connection: Connection): Promise<void> {
  await connection.client.query('BEGIN');
  await lockLedger(connection);
  await addSums(connection);
  await connection.client.query('COMMIT');
}
