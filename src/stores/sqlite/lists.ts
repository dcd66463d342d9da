import type { DatabaseSync } from 'node:sqlite';
import type { Lists } from '#stores/following/lists';
import { explained } from './errors.ts';
import { BUSY_ABOVE } from './schema.ts';

export function createLists(db: DatabaseSync, file: string): Lists {
  const awards = db.prepare(
    `SELECT badge, earned_at, (SELECT uid FROM batch ORDER BY id DESC LIMIT 1) AS newest
     FROM award WHERE wallet = ? AND seq <= ?`,
  );
  const newest = db.prepare(
    `SELECT id, type, description, points, timestamp FROM activity
     WHERE wallet = ? AND seq <= ? ORDER BY timestamp DESC, id LIMIT ?`,
  );
  const newestOfBusy = db.prepare(
    `SELECT id, type, description, points, activity.timestamp
     FROM busy_activity AS busy JOIN activity ON activity.seq = busy.seq
     WHERE busy.wallet = ? AND busy.seq <= ? ORDER BY busy.timestamp DESC, id LIMIT ?`,
  );
  return {
    awards(wallet, { seq }) {
      const rows = explained(file, () => awards.all(wallet, seq));
      return { rows, newest: rows[0] && String(rows[0].newest) };
    },
    activities(wallet, count, limit, { seq }) {
      const list = count > BUSY_ABOVE ? newestOfBusy : newest;
      return explained(file, () => list.all(wallet, seq, limit));
    },
  };
}
