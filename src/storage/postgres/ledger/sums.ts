import type { DedicatedConnection } from '#storage/postgres/connection';
import type { UnsummedSums } from '#storage/scoring/version-life';
import { arrays, firstRow, run, type SqlScript } from '#storage/sql/script';
import type { WalletGains } from './wallet-ids.ts';
import { lockLedger } from './write-lock.ts';

/** Planner settings for the statements that follow in a transaction. */

/**
 * For a batch, which is small compared with tables that grow without bound: look up every row by
 * its key, whatever size the planner assumes.
 */
export const BY_KEY_SQL =
  'SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off';

/** For a step that may touch every wallet. */
const AT_LARGE_SQL = `
  SET LOCAL work_mem = '256MB'; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;
  SET LOCAL enable_seqscan = on`;

/**
 * The sums in `wallet` are updated in large steps: in a big import, nearly every line would update
 * another wallet's row, which costs as much as the line itself. Batches that aren't in the sums yet
 * are marked; loading the sums adds their rows.
 */

/** Rows after which the sums are updated during an import. */
export const SUM_AFTER = 10_000_000;

/** Wallets updated per statement. */
const AT_ONCE = 50_000;

/** A row's batch is the first that ends at it or after it. */
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
 * The newest ledger row in the sums: that of the last batch before the marked ones. Null if there
 * are no such batches.
 */
export const SUMMED_SQL = `
  SELECT coalesce((SELECT last_seq FROM batch WHERE batch.id < first.id ORDER BY id DESC LIMIT 1), 0)
           AS seq
  FROM (SELECT id FROM batch WHERE NOT summed ORDER BY last_seq, id LIMIT 1) AS first`;

/** The newest ledger row in the sums; undefined if all are. */
export async function summedTo(connection: DedicatedConnection): Promise<number | undefined> {
  const [row] = await connection.rows(SUMMED_SQL);
  return row === undefined ? undefined : Number(row.seq);
}

/** Number of ledger rows that aren't in the sums. */
export async function countUnsummed(connection: DedicatedConnection): Promise<number> {
  const from = await summedTo(connection);
  if (from === undefined) return 0;
  const [row] = await connection.rows('SELECT last_seq FROM batch ORDER BY id DESC LIMIT 1');
  return Number(row?.last_seq) - from;
}

/** Updates the sums, within a transaction that has the write lock. */
export async function addSums(connection: DedicatedConnection): Promise<void> {
  const { client } = connection;
  const from = await summedTo(connection);
  if (from === undefined) return;
  await client.query(AT_LARGE_SQL);
  await client.query(ADD_SQL, [from]);
  await client.query(MARK_SQL);
}

/**
 * The same from a writer's cache, if the missing batches are all its own: the ledger needn't be
 * read.
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
 * A transaction with the write lock. If it throws, close the connection.
 * @param wait for the lock
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

/** `addSums` in its own transaction. */
export async function settleSums(connection: DedicatedConnection): Promise<void> {
  await inWriteTurn(connection, () => addSums(connection));
}

type Rows = readonly (readonly unknown[])[];

/** Ledger rows that are summed in one query, well within its deadline. */
const SUMMED_AT_ONCE = 1_000_000;

/** While an import goes on, and after one that was killed. Usually there are none or few. */
export const UNSUMMED: UnsummedSums = {
  of: (from, to) =>
    arrays(
      `SELECT wallet, sum(points)::bigint AS points, count(*)::integer AS activities FROM activity
       WHERE seq > (${SUMMED_SQL}) AND wallet > $1 AND wallet <= $2 GROUP BY wallet`,
      [from, to],
    ),
  // Asking by wallet would read the whole ledger during the write lock.
  *open(step) {
    const summed = yield* firstRow(SUMMED_SQL);
    if (summed === undefined) return undefined;
    const seq = Number(summed.seq);
    const sums = (where = '') => `
      SELECT wallet, sum(points)::bigint, count(*)::integer FROM activity
      WHERE seq > ${seq} ${where} GROUP BY wallet ORDER BY wallet`;
    const last = yield* firstRow('SELECT last_seq FROM batch ORDER BY id DESC LIMIT 1');
    if (Number(last?.last_seq) - seq > SUMMED_AT_ONCE) {
      const range = sums('AND wallet > $1 AND wallet <= $2');
      return (upTo) => arrays(range, [upTo - step, upTo]);
    }
    yield* run(`DECLARE unsummed NO SCROLL CURSOR FOR ${sums()}`);
    let waiting: Rows = [];
    return function* next(upTo): SqlScript<Rows> {
      const found: (readonly unknown[])[] = [];
      for (;;) {
        const past = waiting.findIndex(([wallet]) => Number(wallet) > upTo);
        const end = past === -1 ? waiting.length : past;
        for (const row of waiting.slice(0, end)) found.push(row);
        waiting = waiting.slice(end);
        if (waiting.length > 0) return found;
        waiting = yield* arrays(`FETCH ${step} FROM unsummed`);
        if (waiting.length === 0) return found;
      }
    };
  },
};
