import type { DatabaseSync } from 'node:sqlite';
import { RetryableError } from '#base';
import type { FeedRetention } from '#reputation';
import { DROP_SQL, lastToPrune, NOTE_SQL, OLDEST_SQL } from '#storage/changes/prune';
import { transaction, withoutWaiting } from '#storage/sqlite/database';
import { translatingErrors } from '#storage/sqlite/errors';

/** Removes changes part by part, and only while no one else is writing. */
export function createChangePruner(db: DatabaseSync, file: string) {
  const oldest = db.prepare(OLDEST_SQL);
  const drop = db.prepare(DROP_SQL.replaceAll('$1', '?1'));
  const note = db.prepare(NOTE_SQL.replaceAll('$1', '?1'));

  function prune(kept: FeedRetention, now: number): boolean {
    const { last, isAll } = lastToPrune(oldest.all(), kept, now);
    if (last === undefined) return false;
    drop.run(last);
    note.run(last);
    return !isAll;
  }

  return (kept: FeedRetention, now: number): boolean => {
    try {
      const work = () => transaction(db, () => prune(kept, now));
      return withoutWaiting(db, () => translatingErrors(file, work));
    } catch (error) {
      if (error instanceof RetryableError) return false;
      throw error;
    }
  };
}
