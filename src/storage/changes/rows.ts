import type { MaybePromise } from '#base';
import type { BatchName } from '#storage/following/position';
import type { Row } from '#storage/sql/script';

/** Queries about the feed of changes. @throws RetryableError */
export interface ChangeRows {
  /**
   * `START_SQL` for two batches.
   * @param shown a batch that must exist, otherwise it throws a RetryableError
   */
  start(shown: BatchName, asked: number): MaybePromise<Row | undefined>;
  /** `PARTS_SQL`: the parts with entries after one number, up to another. */
  parts(shown: BatchName, after: number, upTo: number): MaybePromise<readonly Row[]>;
}

/** Parts per query: a small commit's part holds one entry, an import's a thousand. */
const PARTS = 100;

/**
 * SQL: the number of the last entry of the batch that is shown ($1), the same for another batch ($2), and the
 * first entry that is kept.
 */
export const START_SQL = `
  SELECT coalesce((SELECT changes FROM batch WHERE id = $1), 0) AS shown_to,
         (SELECT uid FROM batch WHERE id = $2) AS asked_uid,
         coalesce((SELECT changes FROM batch WHERE id = $2), 0) AS asked_to,
         coalesce((SELECT changes FROM batch WHERE id = $2 - 1), 0) AS asked_from,
         coalesce((SELECT since FROM change_floor), 0) AS since,
         coalesce((SELECT pruned FROM change_floor), 0) AS pruned`;

/** SQL: the parts with entries after one number ($1), up to another ($2). */
export const PARTS_SQL = `
  SELECT part.first, part.count, part.changes, batch.id, batch.uid, batch.committed_at,
         coalesce((SELECT changes FROM batch AS before WHERE before.id = part.batch - 1), 0) AS base,
         edition.name, edition.version, edition.hash
  FROM change_part AS part
  JOIN batch ON batch.id = part.batch
  LEFT JOIN edition ON edition.number = part.edition
  WHERE part.first <= $2 AND part.first >= coalesce(
    (SELECT max(first) FROM change_part WHERE first <= $1 + 1), 0
  )
  ORDER BY part.first LIMIT ${PARTS}`;
