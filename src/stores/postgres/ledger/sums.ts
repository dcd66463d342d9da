import type { DedicatedConnection } from './connection.ts';
import type { WalletGains } from './numbers.ts';
import { AT_LARGE_SQL, BY_KEY_SQL } from './planning.ts';
import { lockLedger } from './turn.ts';

/**
 * The sums in `wallet` follow the ledger in large steps: in a big import nearly every line would
 * change the row of another wallet, which costs as much as the line itself. Batches whose rows are
 * not in the sums yet are marked; who loads the sums adds those rows.
 */

/** Rows after which the sums are brought up to date in the middle of an import. */
export const SUM_AFTER = 10_000_000;

/** Wallets whose gains go in one statement. */
const AT_ONCE = 50_000;

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

const ADD_GAINS_SQL = `
  UPDATE wallet
  SET points = wallet.points + gain.points, activities = wallet.activities + gain.activities,
      updated_at = gain.at
  FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::bigint[])
    AS gain (wallet, points, activities, at)
  WHERE wallet.id = gain.wallet`;

const MARK_SQL = 'UPDATE batch SET summed = true WHERE NOT summed';

/**
 * The newest ledger row that is in the sums: that of the last batch before those that are marked.
 * Null when there are no such batches.
 */
export const SUMMED_SQL = `
  SELECT coalesce((SELECT last_seq FROM batch WHERE batch.id < first.id ORDER BY id DESC LIMIT 1), 0)
           AS seq
  FROM (SELECT id FROM batch WHERE NOT summed ORDER BY last_seq, id LIMIT 1) AS first`;

/** The newest ledger row that is in the sums; undefined when all are. */
export async function summedTo({ client }: DedicatedConnection): Promise<number | undefined> {
  const { rows } = await client.query(SUMMED_SQL);
  return rows[0] === undefined ? undefined : Number(rows[0].seq);
}

/** How many rows of the ledger are not in the sums. */
export async function countUnsummed(connection: DedicatedConnection): Promise<number> {
  const from = await summedTo(connection);
  if (from === undefined) return 0;
  const [row] = await connection.rows('SELECT last_seq FROM batch ORDER BY id DESC LIMIT 1');
  return Number(row?.last_seq) - from;
}

/** Brings the sums up to date, in the transaction of who alone may write. */
export async function addSums(connection: DedicatedConnection): Promise<void> {
  const { client } = connection;
  const from = await summedTo(connection);
  if (from === undefined) return;
  await client.query(AT_LARGE_SQL);
  await client.query(ADD_SQL, [from]);
  await client.query(MARK_SQL);
}

/**
 * The same by what a writer remembers of its batches, if they are all that is not in the sums: the
 * ledger needn't be read for that.
 */
export async function addGains(
  { client }: DedicatedConnection,
  gained: WalletGains,
): Promise<void> {
  const { count, number, points, activities, at } = gained;
  await client.query(BY_KEY_SQL);
  for (let from = 0; from < count; from += AT_ONCE) {
    const to = Math.min(count, from + AT_ONCE);
    const columns = [number, points, activities, at].map((each) => `{${each.subarray(from, to)}}`);
    await client.query(ADD_GAINS_SQL, columns);
  }
  await client.query(MARK_SQL);
}

/**
 * A transaction of who alone may write. When it throws, the connection is to be closed.
 * @param wait for the turn
 */
export async function inWriteTurn<T>(
  connection: DedicatedConnection,
  work: () => Promise<T>,
  wait: (connection: DedicatedConnection) => Promise<void> = lockLedger,
): Promise<T> {
  await connection.client.query('BEGIN');
  await wait(connection);
  const result = await work();
  await connection.client.query('COMMIT');
  return result;
}

/** `addSums` in a transaction of its own. */
export async function settleSums(connection: DedicatedConnection): Promise<void> {
  await inWriteTurn(connection, () => addSums(connection));
}
