import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '#core/errors';
import type { Logger } from '#core/logger';
import { BUSY_TIMEOUT_MS, MEMORY, transaction } from './database.ts';

/** Those that have something of an account in them. */
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
  'gate_audit',
  'role_connection',
];
/** Milliseconds after an erasure; those that come meanwhile are done along with it. */
const WAIT_MS = 60_000;
/** Rows in all that are written anew while others are served: it takes 16 ms for a thousand. */
const MOST_ROWS = 10_000;
/** Milliseconds that a stop has for it; a table that has been begun is finished. */
const PATIENCE_MS = 2_000;

/** Leaves nothing of what was erased in the file. */
export interface Scrubber {
  /** To be called after something was erased. */
  erased(): void;
  /** Does what is still to be done, before the file is closed. */
  close(): void;
}

/**
 * `secure_delete` puts zeros where a row was. But a page that was split or merged before may have kept
 * copies of rows that moved to its neighbours, so the tables are written anew: the pages that they
 * give up are zeroed as a whole. Then the log goes, which has the rows as they were.
 * https://sqlite.org/pragma.html#pragma_secure_delete
 */
export function createPageScrubber(db: DatabaseSync, file: string, log: Logger): Scrubber {
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  if (file === MEMORY) return { erased: () => undefined, close: () => undefined };

  /** Does it if that is possible at once: an import may have the file, and nobody waits for that. */
  function tried(work: () => void): boolean {
    try {
      db.exec('PRAGMA busy_timeout = 0');
      work();
      return true;
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'could not scrub erased data yet; retrying later');
      return false;
    } finally {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  function scrub(): void {
    timer = undefined;
    const isDone = tried(() => {
      // Larger ones wait for the stop, when nobody is kept waiting.
      if (TABLES.reduce((rows, table) => rows + rowsOf(db, table), 0) > MOST_ROWS) return;
      for (const table of TABLES) writeAnew(db, table);
      truncateLog(db);
      isDue = false;
    });
    if (!isDone) later();
  }

  /** The smallest first, as far as the time goes. */
  function scrubAtLast(): void {
    const until = performance.now() + PATIENCE_MS;
    const left = TABLES.toSorted((a, b) => rowsOf(db, a) - rowsOf(db, b));
    tried(() => {
      while (left[0] !== undefined && performance.now() < until) {
        writeAnew(db, left[0]);
        left.shift();
      }
      truncateLog(db);
    });
    if (left.length === 0) return;
    log.warn(
      { tables: left },
      "the file may still contain copies of erased data: run VACUUM on it while it isn't in use",
    );
  }

  function later(): void {
    timer ??= setTimeout(scrub, WAIT_MS).unref();
  }

  return {
    erased() {
      isDue = true;
      later();
      tried(() => truncateLog(db));
    },
    close() {
      clearTimeout(timer);
      if (isDue) scrubAtLast();
    },
  };
}

function rowsOf(db: DatabaseSync, table: string): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
}

/** With its rows, indexes and triggers as they were. */
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

/** As far as nobody reads it; whoever closes the file last drops it. */
function truncateLog(db: DatabaseSync): void {
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}
