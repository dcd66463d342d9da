import type { DatabaseSync } from 'node:sqlite';
import type { Lists } from '#stores/following/lists';
import { newestOfBoth } from '#stores/scoring/rows';
import { translatingErrors } from './errors.ts';
import { BUSY_ABOVE } from './schema.ts';

export function createLists(db: DatabaseSync, file: string): Lists {
  const awards = db.prepare(
    `SELECT badge, earned_at, (SELECT uid FROM batch ORDER BY id DESC LIMIT 1) AS newest
     FROM award WHERE wallet = ? AND seq <= ?`,
  );
  const scoredAwards = db.prepare(
    `SELECT badge, earned_at, (SELECT uid FROM batch ORDER BY id DESC LIMIT 1) AS newest
     FROM award WHERE wallet = $wallet AND seq <= $seq
     UNION ALL
     SELECT badge, earned_at, (SELECT uid FROM batch ORDER BY id DESC LIMIT 1) AS newest
     FROM scored_badge WHERE edition = $edition AND wallet = $wallet`,
  );
  const scored = db.prepare(
    `SELECT id, type, description, points, timestamp FROM scored
     WHERE edition = ? AND wallet = ? AND born <= ? AND (gone IS NULL OR gone > ?)
     ORDER BY timestamp DESC, id LIMIT ?`,
  );
  const isBusy = db.prepare('SELECT 1 FROM busy_activity WHERE wallet = ? LIMIT 1');
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
    awards(wallet, { seq, edition }) {
      const rows = translatingErrors(file, () =>
        edition === 0 ? awards.all(wallet, seq) : scoredAwards.all({ wallet, seq, edition }),
      );
      return { rows, newest: rows[0] && String(rows[0].newest) };
    },
    activities(wallet, count, limit, { seq, edition, change }) {
      return translatingErrors(file, () => {
        // What rules granted counts too, but isn't in `busy_activity`.
        const list = count > BUSY_ABOVE && isBusy.get(wallet) !== undefined ? newestOfBusy : newest;
        const imported = list.all(wallet, seq, limit);
        if (edition === 0) return imported;
        return newestOfBoth(imported, scored.all(edition, wallet, change, change, limit), limit);
      });
    },
  };
}
