import type { Lists } from '#stores/following/lists';
import type { Reads } from './reads.ts';
import { BUSY_ABOVE } from './schema.ts';

const AWARDS_SQL = `
  SELECT badge, earned_at, (SELECT uid FROM batch ORDER BY id DESC LIMIT 1) AS newest
  FROM award WHERE wallet = $1 AND seq <= $2`;

// Not by the key on seq, which most of the ledger is below.
const NEWEST_SQL = `
  SELECT id, type, description, points, timestamp FROM activity
  WHERE wallet = $1 AND seq + 0 <= $2 ORDER BY timestamp DESC, id LIMIT $3`;

const NEWEST_OF_BUSY_SQL = `
  SELECT id, type, description, points, activity.timestamp
  FROM busy_activity AS busy JOIN activity ON activity.seq = busy.seq
  WHERE busy.wallet = $1 AND busy.seq <= $2 ORDER BY busy.timestamp DESC, id LIMIT $3`;

export function createLists(reads: Reads): Lists {
  return {
    async awards(wallet, { seq, newest }) {
      const rows = await reads.ask(AWARDS_SQL, [wallet, seq], newest);
      return { rows, newest: rows[0] && String(rows[0].newest) };
    },
    activities: (wallet, count, limit, { seq, newest }) =>
      reads.ask(count > BUSY_ABOVE ? NEWEST_OF_BUSY_SQL : NEWEST_SQL, [wallet, seq, limit], newest),
  };
}
