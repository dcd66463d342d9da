import pg from 'pg';
import type { Dump } from './import-dump.ts';

async function asking<T>(
  url: string,
  work: (rows: (sql: string) => Promise<unknown[]>) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=fathom' });
  await client.connect();
  try {
    // A single snapshot, whoever writes meanwhile.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return await work(async (sql) => (await client.query(sql)).rows);
  } finally {
    await client.end();
  }
}

/** What `dump` returns for a file, for a Postgres database. Sums are text there; here too. */
export function dumpPostgres(url: string): Promise<Dump> {
  return asking(url, async (rows) => ({
    wallets: await rows(
      'SELECT address, chain, points::float, activities FROM wallet ORDER BY address',
    ),
    activities: await rows(
      `SELECT wallet.address, activity.id, type, activity.description, activity.points::float,
         timestamp::float, badge.id AS badge
       FROM activity JOIN wallet ON wallet.id = activity.wallet
       LEFT JOIN badge ON badge.number = activity.badge ORDER BY address, activity.id`,
    ),
    awards: await rows(
      `SELECT wallet.address, badge.id, earned_at::float FROM award
       JOIN wallet ON wallet.id = award.wallet JOIN badge ON badge.number = award.badge
       ORDER BY address, badge.id`,
    ),
    badges: await rows(
      'SELECT id, name, description, tier, image_url, soulbound FROM badge ORDER BY id',
    ),
    names: await rows(
      `SELECT wallet.address, display_name FROM name JOIN wallet ON wallet.id = name.wallet
       ORDER BY address`,
    ),
  }));
}

/** What is wrong with a database: a read model that doesn't follow from the ledger. */
export function faultsOfPostgres(url: string): Promise<unknown[]> {
  return asking(url, async (rows) => [
    ...(await rows(
      `SELECT address, points, activities, sum_points, count FROM wallet LEFT JOIN (
         SELECT wallet, sum(points) AS sum_points, count(*) AS count FROM activity
         WHERE seq <= (SELECT max(last_seq) FROM batch WHERE summed) GROUP BY wallet
       ) AS sums ON sums.wallet = wallet.id
       WHERE points <> coalesce(sum_points, 0) OR activities <> coalesce(count, 0)`,
    )),
    ...(await rows('SELECT * FROM activity WHERE wallet NOT IN (SELECT id FROM wallet)')),
    ...(await rows(
      `SELECT DISTINCT wallet, badge FROM activity WHERE badge IS NOT NULL
       EXCEPT SELECT wallet, badge FROM award`,
    )),
    ...(await rows(
      `SELECT wallet, badge FROM award
       EXCEPT SELECT wallet, badge FROM activity WHERE badge IS NOT NULL`,
    )),
    ...(await rows(
      `SELECT * FROM (SELECT coalesce(max(last_seq), 0) AS last_seq,
         (SELECT coalesce(max(seq), 0) FROM activity) AS newest,
         (SELECT count(*) FROM activity) AS count FROM batch) AS ends
       WHERE last_seq <> newest OR count <> newest`,
    )),
  ]);
}

/** Rows of the ledger; 0 before it exists. */
export function countPostgres(url: string): Promise<number> {
  return asking(url, async (rows) => {
    const [made] = await rows(`SELECT to_regclass('activity') IS NOT NULL AS made`);
    if ((made as { made: boolean }).made !== true) return 0;
    const [row] = await rows('SELECT count(*)::int AS n FROM activity');
    return (row as { n: number }).n;
  });
}

/** Batches that aren't in the wallets' sums yet. */
export function countUnsummed(url: string): Promise<number> {
  return asking(url, async (rows) => {
    const [row] = await rows('SELECT count(*)::int AS n FROM batch WHERE NOT summed');
    return (row as { n: number }).n;
  });
}
