import type { DatabaseSync } from 'node:sqlite';
import type { LongLists } from '#stores/following/lists';
import { HOLDERS_SQL } from '#stores/scoring/holders-sql';
import { newestOfBoth } from '#stores/scoring/rows';
import { translatingErrors } from './errors.ts';
import { BUSY_ABOVE } from './ledger-schema.ts';

export function createLists(db: DatabaseSync, file: string): LongLists {
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
  const holders = db.prepare(HOLDERS_SQL);
  return {
    holders: ({ badge, limit, after }, { seq, edition }) =>
      translatingErrors(file, () =>
        holders.all({
          ...{ $1: badge, $2: after.earnedAt, $3: after.wallet },
          ...{ $4: seq, $5: edition, $6: limit },
        }),
      ),
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
