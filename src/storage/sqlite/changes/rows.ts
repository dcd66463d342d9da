import type { DatabaseSync } from 'node:sqlite';
import { RetryableError } from '#base';
import { type ChangeRows, PARTS_SQL, START_SQL } from '#storage/changes/rows';
import { translatingErrors } from '#storage/sqlite/errors';

export function createChangeRows(db: DatabaseSync, file: string): ChangeRows {
  const uid = db.prepare('SELECT uid FROM batch WHERE id = ?');
  const start = db.prepare(START_SQL.replaceAll(/\$(\d)/g, '?$1'));
  const parts = db.prepare(PARTS_SQL.replaceAll(/\$(\d)/g, '?$1'));

  function within<T>(shown: { id: number; uid: string }, work: () => T): T {
    return translatingErrors(file, () => {
      if (shown.id > 0 && uid.get(shown.id)?.uid !== shown.uid) {
        throw new RetryableError('The data has just been replaced. Try again.', { retryAfter: 1 });
      }
      return work();
    });
  }

  return {
    start: (shown, asked) => within(shown, () => start.get(shown.id, asked)),
    parts: (shown, after, upTo) => within(shown, () => parts.all(after, upTo)),
  };
}
