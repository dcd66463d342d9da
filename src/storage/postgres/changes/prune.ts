import type { FeedRetention } from '#reputation';
import { DROP_SQL, lastToPrune, NOTE_SQL, OLDEST_SQL } from '#storage/changes/prune';
import type { Database } from '#storage/postgres/database';

/** Removes some changes. Writers of the ledger don't wait for it: they only add. */
export function pruneChanges(db: Database, kept: FeedRetention, now: number): Promise<boolean> {
  return db.transaction(async ({ rows, run }) => {
    const { last, isAll } = lastToPrune(await rows(OLDEST_SQL), kept, now);
    if (last === undefined) return false;
    await run(DROP_SQL, [last]);
    await run(NOTE_SQL, [last]);
    return !isAll;
  });
}
