import pg from 'pg';
import { vi } from 'vitest';
import { queryDatabase } from './database.ts';
import { makeTables } from './operations.ts';

/** Where a program that writes into a database stands still until the gate is opened. */
export interface Gate {
  /** Ends when the program has come to it. */
  reached(): Promise<void>;
  /** Lets it go on, for good. So does the end of the server or of all connections. */
  open(): Promise<void>;
}

/** Any number that Fathom itself does not lock. */
const LOCK = 4711;

/**
 * Makes the tables, and a gate before a row goes into one of them. Without it a test that wants to
 * disturb a program comes too late whenever the machine gives the program more time than the test.
 * @param url of an empty database
 * @param when which rows are held, a condition in SQL
 */
export async function addGate(url: string, table: string, when = 'true'): Promise<Gate> {
  await makeTables(url);
  const holder = new pg.Client({ connectionString: url });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query(`
    CREATE FUNCTION public.wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock_shared(${LOCK}); RETURN NEW; END';
    CREATE TRIGGER gate BEFORE INSERT ON fathom.${table}
      FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION public.wait_at_gate();
    SELECT pg_advisory_lock(${LOCK})`);
  let opened: Promise<void> | undefined;
  return {
    async reached() {
      await vi.waitUntil(
        async () => {
          const waiting = await queryDatabase(
            url,
            `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
          );
          return waiting.length > 0;
        },
        // An import lowers its priority: while others keep all cores busy, it hardly gets any time.
        { timeout: 240_000, interval: 10 },
      );
    },
    open: () => {
      opened ??= holder.end();
      return opened;
    },
  };
}
