import { IMPORT } from '#scoring';

/**
 * SQL of all stores about where scores come from. Each is a single statement, so that its result is of one
 * moment.
 */

/** What an edition ($1) gave a wallet ($2): a row for each rule, at least one for the edition. */
export const RULES_SQL = `
  SELECT edition.version, edition.as_of, edition.state, own.points AS all_points, own.activities,
         own.change, sum.rule, sum.points, sum.events, sum.capped, sum.decayed, sum.discounted,
         sum.newest
  FROM edition
  LEFT JOIN scored_wallet AS own ON own.edition = edition.number AND own.wallet = $2
  LEFT JOIN scored_rule AS sum ON sum.edition = edition.number AND sum.wallet = $2
  WHERE edition.number = $1`;

/**
 * An edition ($1), the state in which it last was settled, how much of the imports that includes, and the newest
 * change of what rules gave.
 */
export const SOURCES_SQL = `
  SELECT edition.name, edition.version, edition.hash, edition.applied_at, edition.as_of,
         edition.state, edition.ends, edition.settled, part.height, part.at,
         (SELECT coalesce(max(number), 0) FROM scored_change) AS change
  FROM edition
  LEFT JOIN edition_source AS part
    ON part.edition = edition.number AND part.source = '${IMPORT}'
  WHERE edition.number = $1`;

// Earlier versions of the program wrote editions without daily sums.
const SUMMED = `
  EXISTS (SELECT 1 FROM scored_day AS part
          JOIN scored_wallet AS own ON own.edition = part.edition AND own.wallet = part.wallet
          WHERE part.edition = $3 AND part.wallet = $1 AND part.change = own.change)`;

/**
 * A wallet's ($1) points by day: of activities imported up to a ledger row ($2), and of what an edition ($3)
 * gave up to a change ($4). A day may come several times. If an edition's points are stored sums, `change` is
 * the one they're based on. (`+ 0` prevents the use of an index: few rows are after the position, and few
 * belong to a wallet without sums. The condition that picks a way comes first in its join, or SQLite would
 * scan all rows to find that it isn't needed.)
 */
export const DAYS_SQL = `
  SELECT day, points, 0 AS change FROM busy_day WHERE wallet = $1
  UNION ALL
  SELECT timestamp / 86400, -sum(points), 0
  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM busy_day WHERE wallet = $1)) AS busy
  CROSS JOIN activity WHERE seq > $2 AND wallet + 0 = $1 GROUP BY 1
  UNION ALL
  SELECT timestamp / 86400, sum(points), 0
  FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM busy_day WHERE wallet = $1)) AS quiet
  CROSS JOIN activity WHERE wallet = $1 AND seq + 0 <= $2 GROUP BY 1
  UNION ALL
  SELECT day, points, change FROM scored_day WHERE edition = $3 AND wallet = $1 AND ${SUMMED}
  UNION ALL
  SELECT timestamp / 86400, sum(points), 0
  FROM (SELECT 1 WHERE NOT ${SUMMED}) AS quiet
  CROSS JOIN scored
  WHERE edition = $3 AND wallet = $1 AND born <= $4 AND (gone IS NULL OR gone > $4) GROUP BY 1`;

/** Some changes of an edition ($1) after one ($2) up to another ($3), in their order. */
export const CHANGES_SQL = `
  SELECT number, wallet, points, activities FROM scored_change
  WHERE number > $2 AND number <= $3 AND edition = $1 ORDER BY number LIMIT 2000`;
