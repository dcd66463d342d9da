import type { LongLists } from '#stores/following/lists';
import { HOLDERS_SQL } from '#stores/scoring/holders-sql';
import { newestOfBoth } from '#stores/scoring/rows';
import type { Reads } from './reads.ts';
import { BUSY_ABOVE } from './schema.ts';

// Not by the key on seq, which would scan most of the ledger.
const NEWEST_SQL = `
  SELECT id, type, description, points, timestamp, false AS is_scored FROM activity
  WHERE wallet = $1 AND seq + 0 <= $2 ORDER BY timestamp DESC, id LIMIT $3`;

const NEWEST_OF_BUSY_SQL = `
  SELECT id, type, description, points, activity.timestamp, false AS is_scored
  FROM busy_activity AS busy JOIN activity ON activity.seq = busy.seq
  WHERE busy.wallet = $1 AND busy.seq <= $2 ORDER BY busy.timestamp DESC, id LIMIT $3`;

const SCORED_SQL = `
  SELECT id, type, description, points, timestamp, true AS is_scored FROM scored
  WHERE edition = $4 AND wallet = $1 AND born <= $5 AND (gone IS NULL OR gone > $5)
  ORDER BY timestamp DESC, id LIMIT $3`;

// What rules granted counts too, but isn't in `busy_activity`.
const NEWEST_IF_NOT_BUSY_SQL = `
  SELECT * FROM (${NEWEST_SQL}) AS newest
  WHERE NOT EXISTS (SELECT FROM busy_activity WHERE wallet = $1)`;

const FEW_SQL = `(${NEWEST_SQL}) UNION ALL (${SCORED_SQL})`;
const MANY_SQL = `
  (${NEWEST_OF_BUSY_SQL}) UNION ALL (${NEWEST_IF_NOT_BUSY_SQL}) UNION ALL (${SCORED_SQL})`;

export function createLists(reads: Reads): LongLists {
  return {
    holders: ({ badge, limit, after }, { seq, newest, edition }) =>
      reads.ask(HOLDERS_SQL, [badge, after.earnedAt, after.wallet, seq, edition, limit], newest),
    async activities(wallet, count, limit, { seq, newest, edition, change }) {
      const isMany = count > BUSY_ABOVE;
      if (edition === 0) {
        const sql = isMany ? NEWEST_OF_BUSY_SQL : NEWEST_SQL;
        return reads.ask(sql, [wallet, seq, limit], newest);
      }
      const values = [wallet, seq, limit, edition, change];
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
