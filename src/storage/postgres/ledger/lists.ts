import { type LongLists, NEWEST } from '#storage/following/lists';
import { HOLDERS_SQL } from '#storage/scoring/holders-sql';
import { newestOfBoth } from '#storage/scoring/rows';
import { BUSY_ABOVE } from '#storage/tables/ledger';
import type { Reads } from './reads.ts';

// Not by the key on seq, which would scan most of the ledger.
const NEWEST_SQL = `
  SELECT id, type, description, points, timestamp, false AS is_scored FROM activity
  WHERE wallet = $1 AND seq + 0 <= $2 AND timestamp <= $4 AND (timestamp < $4 OR id > $5)
  ORDER BY timestamp DESC, id LIMIT $3`;

const NEWEST_OF_BUSY_SQL = `
  SELECT id, type, description, points, activity.timestamp, false AS is_scored
  FROM busy_activity AS busy JOIN activity ON activity.seq = busy.seq
  WHERE busy.wallet = $1 AND busy.seq <= $2
    AND busy.timestamp <= $4 AND (busy.timestamp < $4 OR id > $5)
  ORDER BY busy.timestamp DESC, id LIMIT $3`;

const SCORED_SQL = `
  SELECT id, type, description, points, timestamp, true AS is_scored FROM scored
  WHERE edition = $6 AND wallet = $1 AND born <= $7 AND (gone IS NULL OR gone > $7)
    AND timestamp <= $4 AND (timestamp < $4 OR id > $5)
  ORDER BY timestamp DESC, id LIMIT $3`;

// What rules granted counts too, but isn't in `busy_activity`.
const NEWEST_IF_NOT_BUSY_SQL = `
  SELECT * FROM (${NEWEST_SQL}) AS newest
  WHERE NOT EXISTS (SELECT FROM busy_activity WHERE wallet = $1)`;

const FEW_SQL = `(${NEWEST_SQL}) UNION ALL (${SCORED_SQL})`;
const MANY_SQL = `
  (${NEWEST_OF_BUSY_SQL}) UNION ALL (${NEWEST_IF_NOT_BUSY_SQL}) UNION ALL (${SCORED_SQL})`;

const TIME_SQL = `
  SELECT timestamp FROM activity WHERE wallet = $1 AND id = $2 AND seq + 0 <= $3
  UNION ALL
  SELECT timestamp FROM scored
  WHERE edition = $4 AND wallet = $1 AND id = $2 AND born <= $5 AND (gone IS NULL OR gone > $5)
  LIMIT 1`;

export function createLists(reads: Reads): LongLists {
  return {
    holders: ({ badge, limit, after }, { seq, newest, edition }) =>
      reads.ask(HOLDERS_SQL, [badge, after.earnedAt, after.wallet, seq, edition, limit], newest),
    timeOf: (wallet, id, { seq, newest, edition, change }) =>
      reads.ask(TIME_SQL, [wallet, id, seq, edition, change], newest),
    async activities(
      wallet,
      count,
      limit,
      { seq, newest, edition, change },
      { timestamp, id } = NEWEST,
    ) {
      const isMany = count > BUSY_ABOVE;
      if (edition === 0) {
        const sql = isMany ? NEWEST_OF_BUSY_SQL : NEWEST_SQL;
        return reads.ask(sql, [wallet, seq, limit, timestamp, id], newest);
      }
      const values = [wallet, seq, limit, timestamp, id, edition, change];
      const rows = await reads.ask(isMany ? MANY_SQL : FEW_SQL, values, newest);
      const imported = rows.filter((row) => row.is_scored === false);
      return newestOfBoth(
        imported,
        rows.filter((row) => row.is_scored === true),
        limit,
      );
    },
  };
}
