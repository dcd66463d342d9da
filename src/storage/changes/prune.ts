import type { FeedRetention } from '#reputation';
import type { Row } from '#storage/sql/script';

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
  let last: number | undefined;
  for (const { first, count: changes, committed_at, newest } of oldest) {
    const end = Number(first) + Number(changes) - 1;
    const at = Number(committed_at);
    if (at < now - age || end <= Number(newest) - count) last = end;
    // What is dated later than now, by a clock that was ahead, is as old as what follows it. What is dated
    // too early, by a clock that was behind, doesn't make older what was committed before it.
    else if (at <= now) break;
  }
  return { last, isAll: oldest.length < PARTS };
}
