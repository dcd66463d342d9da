import type { DatabaseSync } from 'node:sqlite';
import { type Logger, messageOf, monotonicMs } from '#base';
import { MEMORY, transaction, withoutWaiting } from '#storage/sqlite/database';
import type { WalCheckpoints } from './wal-checkpoints.ts';

/** Tables that hold account data. */
const TABLES = [
  'link',
  'link_claim',
  'link_hold',
  'link_request',
  'link_choice',
  'link_event',
  'api_key',
  'gate_member',
  'gate_grant',
  'gate_change',
  'gate_join_request',
  'gate_username',
  'gate_audit',
  'role_connection',
  'role_parting',
];
/** Milliseconds after an erasure; later erasures until then are handled together. */
const WAIT_MS = 60_000;
/** Total rows rewritten while serving. */
const MOST_ROWS = 10_000;
/** What a row takes where nothing else is going on. */
const ROW_MS = 0.016;
/** With this many rows, a table shows how long a row takes now. */
const SAMPLE_ROWS = 500;
/** Milliseconds available at shutdown; a table that can't be finished by then isn't begun. */
const PATIENCE_MS = 2_000;

/** Leaves no trace of erased data in the file. */
interface Scrubber {
  /** Call it after an erasure. Resolves once the log has nothing of it, if nobody reads or writes it meanwhile. */
  erased(): Promise<void>;
  /** Completes pending work before the file is closed. */
  close(): void;
}

/**
 * `secure_delete` overwrites deleted rows with zeros. But pages that were split or merged earlier
 * may hold copies of rows that moved to their neighbours, so we rewrite the tables: the pages they
 * free are zeroed completely. Then we truncate the log, which has the old rows.
 * https://sqlite.org/pragma.html#pragma_secure_delete
 */
export function createPageScrubber(
  db: DatabaseSync,
  file: string,
  log: Logger,
  checkpoints: Pick<WalCheckpoints, 'truncate' | 'truncateNow'>,
  clock: () => number = monotonicMs,
): Scrubber {
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  let isClosed = false;
  if (file === MEMORY) return { erased: async () => undefined, close: () => undefined };

  /** Tries once, without waiting: an import may have locked the file. */
  function tried(work: () => void): boolean {
    try {
      withoutWaiting(db, work);
      return true;
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'could not scrub erased data yet; retrying later');
      return false;
    }
  }

  async function scrub(): Promise<void> {
    timer = undefined;
    const isDone = tried(() => {
      // Larger ones wait until shutdown, when nobody is kept waiting.
      if (TABLES.reduce((rows, table) => rows + rowsOf(db, table), 0) > MOST_ROWS) return;
      for (const table of TABLES) writeAnew(db, table);
      isDue = false;
    });
    if (isDone && (await checkpoints.truncate())) return;
    // Others read or write the file.
    isDue = true;
    later();
  }

  /** Smallest first, as time permits. */
  function scrubAtLast(): void {
    const until = clock() + PATIENCE_MS;
    const sizes = new Map(TABLES.map((table) => [table, rowsOf(db, table)]));
    const left = TABLES.toSorted((a, b) => (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0));
    tried(() => {
      let rowMs = ROW_MS;
      for (;;) {
        const [table] = left;
        const began = clock();
        const rows = table === undefined ? 0 : (sizes.get(table) ?? 0);
        if (table === undefined || began + rows * rowMs > until) break;
        writeAnew(db, table);
        left.shift();
        // A busy machine needs more for the next one, too. Few rows tell little.
        if (rows >= SAMPLE_ROWS) rowMs = Math.max(rowMs, (clock() - began) / rows);
      }
    });
    checkpoints.truncateNow();
    if (left.length === 0) return;
    log.warn(
      { tables: left },
      "the file may still contain copies of erased data: run VACUUM on it while it isn't in use",
    );
  }

  function later(): void {
    if (!isClosed) timer ??= setTimeout(scrub, WAIT_MS).unref();
  }

  return {
    async erased() {
      isDue = true;
      later();
      await checkpoints.truncate();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      if (isDue) scrubAtLast();
    },
  };
}

function rowsOf(db: DatabaseSync, table: string): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
}

/** Keeps its rows, indexes and triggers. */
function writeAnew(db: DatabaseSync, table: string): void {
  transaction(db, () => {
    const triggers = db
      .prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?`)
      .all(table);
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
    // Temporary tables are in memory.
    db.exec(`
      CREATE TEMP TABLE kept AS SELECT * FROM main.${table};
      DELETE FROM main.${table};
      INSERT INTO main.${table} SELECT * FROM kept;
      DROP TABLE kept;
    `);
    for (const { sql } of triggers) db.exec(String(sql));
  });
}
