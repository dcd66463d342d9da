import type { DatabaseSync } from 'node:sqlite';
import { type LongLists, NEWEST } from '#storage/following/lists';
import { HOLDERS_SQL } from '#storage/scoring/holders-sql';
import { newestOfBoth } from '#storage/scoring/rows';
import { BUSY_ABOVE } from '#storage/tables/ledger';
import { translatingErrors } from './errors.ts';

export function createLists(db: DatabaseSync, file: string): LongLists {
  const scored = db.prepare(
    `SELECT id, type, description, points, timestamp FROM scored
     WHERE edition = $edition AND wallet = $wallet AND born <= $change AND (gone IS NULL OR gone > $change)
       AND timestamp <= $timestamp AND (timestamp < $timestamp OR id > $id)
     ORDER BY timestamp DESC, id LIMIT $limit`,
  );
  const isBusy = db.prepare('SELECT 1 FROM busy_activity WHERE wallet = ? LIMIT 1');
  const newest = db.prepare(
    `SELECT id, type, description, points, timestamp FROM activity
     WHERE wallet = $wallet AND seq <= $seq
       AND timestamp <= $timestamp AND (timestamp < $timestamp OR id > $id)
     ORDER BY timestamp DESC, id LIMIT $limit`,
  );
  const newestOfBusy = db.prepare(
    `SELECT id, type, description, points, activity.timestamp
     FROM busy_activity AS busy JOIN activity ON activity.seq = busy.seq
     WHERE busy.wallet = $wallet AND busy.seq <= $seq
       AND busy.timestamp <= $timestamp AND (busy.timestamp < $timestamp OR id > $id)
     ORDER BY busy.timestamp DESC, id LIMIT $limit`,
  );
  const time = db.prepare(
    `SELECT timestamp FROM activity WHERE wallet = $wallet AND id = $id AND seq <= $seq
     UNION ALL
     SELECT timestamp FROM scored
     WHERE edition = $edition AND wallet = $wallet AND id = $id
       AND born <= $change AND (gone IS NULL OR gone > $change)
     LIMIT 1`,
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
    timeOf: (wallet, id, { seq, edition, change }) =>
      translatingErrors(file, () =>
        time.all({ $wallet: wallet, $id: id, $seq: seq, $edition: edition, $change: change }),
      ),
    activities(wallet, count, limit, { seq, edition, change }, { timestamp, id } = NEWEST) {
      return translatingErrors(file, () => {
        // What rules granted counts too, but isn't in `busy_activity`.
        const list = count > BUSY_ABOVE && isBusy.get(wallet) !== undefined ? newestOfBusy : newest;
        const page = { $wallet: wallet, $timestamp: timestamp, $id: id, $limit: limit };
        const imported = list.all({ ...page, $seq: seq });
        if (edition === 0) return imported;
        const given = scored.all({ ...page, $edition: edition, $change: change });
        return newestOfBoth(imported, given, limit);
      });
    },
  };
}
