import type { DatabaseSync } from 'node:sqlite';
import type { Logger } from '#base';
import { type Follower, follow, type LedgerStatus } from '#storage/following/follow';
import { requireFile } from './database.ts';
import { translateError, translatingErrors } from './errors.ts';
import { openLedgerReader } from './ledger-reader.ts';
import { loadStandings } from './load.ts';
import { batchNameOf } from './snapshot.ts';

/** How often to check the file for another process's commits. A check takes microseconds. */
const LOOK_MS = 250;

/** Loads the ledger and follows it. @param db the connection that others use as well */
export async function followSqlite(db: DatabaseSync, file: string, log: Logger): Promise<Follower> {
  const newest = db.prepare(
    `SELECT id, uid, committed_at, (SELECT uid FROM batch WHERE id = ?) AS known_uid
     FROM batch ORDER BY id DESC LIMIT 1`,
  );
  const reader = openLedgerReader(db, file);

  function look(known: number): LedgerStatus {
    requireFile(db);
    const row = translatingErrors(file, () => newest.get(known));
    const knownUid = row?.known_uid == null ? undefined : String(row.known_uid);
    return { newest: batchNameOf(row), committedAt: Number(row?.committed_at ?? 0), knownUid };
  }

  const startedAt = performance.now();
  try {
    const follower = follow({
      start: await loadStandings(reader),
      startedAt,
      pollMs: LOOK_MS,
      log,
      ledger: {
        status: look,
        peek: look,
        async inSnapshot(_since, work) {
          try {
            await reader.inSnapshot((_, queries) => work(queries.snapshot(queries.head())));
          } catch (error) {
            throw translateError(error, file);
          }
        },
        load: () => loadStandings(reader),
        close: () => reader.close(),
      },
    });
    await follower.begin();
    return follower;
  } catch (error) {
    reader.close();
    throw translateError(error, file);
  }
}
