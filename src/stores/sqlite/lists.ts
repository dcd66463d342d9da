import type { DatabaseSync } from 'node:sqlite';
import type { AwardRow, ListEnd, LongLists } from '#stores/following/lists';
import { HOLDERS_SQL } from '#stores/scoring/holders-sql';
import { newestOfBoth } from '#stores/scoring/rows';
import { arraysOf } from './arrays.ts';
import { translatingErrors } from './errors.ts';
import { BUSY_ABOVE } from './schema.ts';

export function createLists(db: DatabaseSync, file: string): LongLists {
  const one = createAwards(db, '= $wallets');
  const several = createAwards(db, 'IN (SELECT value FROM json_each($wallets))');
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
    awards(wallets, end) {
      return translatingErrors(file, () => {
        const [first = 0] = wallets;
        return wallets.length === 1 ? one(first, end) : several(JSON.stringify(wallets), end);
      });
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

type Awards = (wallets: number | string, end: ListEnd) => readonly AwardRow[];

/** @param condition for the column `wallet`, with the parameter `$wallets` */
function createAwards(db: DatabaseSync, condition: string): Awards {
  const columns = 'wallet, badge, earned_at, (SELECT uid FROM batch ORDER BY id DESC LIMIT 1)';
  const imported = `SELECT ${columns} FROM award WHERE wallet ${condition} AND seq <= $seq`;
  const scored = `SELECT ${columns} FROM scored_badge
    WHERE edition = $edition AND wallet ${condition}`;
  const awards = arraysOf(db.prepare(imported));
  const scoredAwards = arraysOf(db.prepare(`${imported} UNION ALL ${scored}`));
  return (wallets, { seq, edition }) => {
    const rows =
      edition === 0 ? awards.all({ wallets, seq }) : scoredAwards.all({ wallets, seq, edition });
    return rows as unknown as AwardRow[];
  };
}
