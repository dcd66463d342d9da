import type { FeedRetention } from '#core/changes';
import type { Row } from '#stores/sql/script';

/** Parts to remove per transaction, which takes milliseconds. */
const PARTS = 100;

/** SQL: the oldest parts, and the number of the newest entry. */
export const OLDEST_SQL = `
  SELECT part.first, part.count, batch.committed_at,
         (SELECT changes FROM batch ORDER BY id DESC LIMIT 1) AS newest
  FROM change_part AS part JOIN batch ON batch.id = part.batch
  ORDER BY part.first LIMIT ${PARTS}`;

/** SQL: removes the parts up to an entry ($1), and records it. */
export const DROP_SQL = 'DELETE FROM change_part WHERE first <= $1';
export const NOTE_SQL = `
  INSERT INTO change_floor (since, pruned)
  VALUES (coalesce((SELECT since FROM change_floor), 0), $1)
  ON CONFLICT (since) DO UPDATE SET pruned = excluded.pruned
  WHERE change_floor.pruned < excluded.pruned`;

/**
 * @param oldest rows of `OLDEST_SQL`
 * @param now seconds since 1970
 * @returns the number of the last entry to remove; undefined if there's none
 */
export function lastToPrune(oldest: readonly Row[], { age, count }: FeedRetention, now: number) {
  const before = now - age;
  const lastOld = oldest.findLastIndex((row) => Number(row.committed_at) < before);
  let last: number | undefined;
  for (const [index, row] of oldest.entries()) {
    const end = Number(row.first) + Number(row.count) - 1;
    // What was committed before something old is old, even if the clock was ahead then.
    const isOld = index <= lastOld;
    if (!isOld && end > Number(row.newest) - count) break;
    last = end;
  }
  return { last, isAll: oldest.length < PARTS };
}
