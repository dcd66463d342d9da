import { DatabaseSync } from 'node:sqlite';
import { patienceMs } from './patience.ts';

/** All rows that an import makes, without what depends on when or in which order it ran. */
export interface Dump {
  readonly wallets: unknown[];
  readonly activities: unknown[];
  readonly awards: unknown[];
  readonly badges: unknown[];
  readonly names: unknown[];
}

/** Reads a database that a killed process may have left behind. */
export function dump(file: string): Dump {
  const db = new DatabaseSync(file, { timeout: patienceMs(60_000) });
  try {
    const rows = (sql: string) => db.prepare(sql).all();
    return {
      wallets: rows('SELECT address, chain, points, activities FROM wallet ORDER BY address'),
      activities: rows(
        `SELECT wallet.address, activity.id, type, activity.description, activity.points, timestamp,
           badge.id AS badge
         FROM activity JOIN wallet ON wallet.id = activity.wallet
         LEFT JOIN badge ON badge.number = activity.badge ORDER BY address, activity.id`,
      ),
      awards: rows(
        `SELECT wallet.address, badge.id, earned_at FROM award
         JOIN wallet ON wallet.id = award.wallet JOIN badge ON badge.number = award.badge
         ORDER BY address, badge.id`,
      ),
      badges: rows(
        'SELECT id, name, description, tier, image_url, soulbound FROM badge ORDER BY id',
      ),
      names: rows(
        `SELECT wallet.address, display_name FROM name JOIN wallet ON wallet.id = name.wallet
         ORDER BY address`,
      ),
    };
  } finally {
    db.close();
  }
}

/** What is wrong with a database: damage, or a read model that doesn't follow from the ledger. */
export function faultsOf(file: string): unknown[] {
  const db = new DatabaseSync(file, { timeout: patienceMs(60_000) });
  try {
    const rows = (sql: string) => db.prepare(sql).all();
    const damage = rows('PRAGMA integrity_check').filter((row) => row.integrity_check !== 'ok');
    // A kill right at the start leaves an empty file.
    if (rows('SELECT * FROM sqlite_schema').length === 0) return damage;
    return [
      ...damage,
      ...rows(
        `SELECT address, points, activities, sum_points, count FROM wallet LEFT JOIN (
           SELECT wallet, sum(points) AS sum_points, count(*) AS count FROM activity GROUP BY wallet
         ) AS sums ON sums.wallet = wallet.id
         WHERE points <> coalesce(sum_points, 0) OR activities <> coalesce(count, 0)`,
      ),
      ...rows('SELECT * FROM activity WHERE wallet NOT IN (SELECT id FROM wallet)'),
      ...rows(
        `SELECT DISTINCT wallet, badge FROM activity WHERE badge IS NOT NULL
         EXCEPT SELECT wallet, badge FROM award`,
      ),
      ...rows(
        `SELECT wallet, badge FROM award
         EXCEPT SELECT wallet, badge FROM activity WHERE badge IS NOT NULL`,
      ),
      ...rows(
        `SELECT max(last_seq) AS last_seq, (SELECT max(seq) FROM activity) AS newest FROM batch
         HAVING last_seq IS NOT newest`,
      ),
    ];
  } finally {
    db.close();
  }
}

/** Rows of the ledger. */
export function countActivities(file: string): number {
  const db = new DatabaseSync(file, { timeout: patienceMs(60_000) });
  try {
    const isEmpty = db.prepare('SELECT * FROM sqlite_schema').get() === undefined;
    return isEmpty ? 0 : Number(db.prepare('SELECT count(*) AS n FROM activity').get()?.n);
  } finally {
    db.close();
  }
}
