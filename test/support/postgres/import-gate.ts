import pg from 'pg';
import { vi } from 'vitest';
import { queryDatabase } from './database.ts';
import { makeTables } from './operations.ts';

/** An import that stands still in the middle of its second batch until the gate is opened. */
export interface ImportGate {
  /** Ends when the import has come to it: its first batch is in, its second half written. */
  reached(): Promise<void>;
  /** Lets the import go on. So does the server's or a connection's end. */
  open(): Promise<void>;
}

/** Any number that Fathom itself does not lock. */
const LOCK = 4711;

/**
 * To be called before the import starts. Without it a test that wants to disturb an import comes too
 * late whenever the machine gives the import more time than the test.
 * @param url of an empty database
 */
export async function gateImport(url: string): Promise<ImportGate> {
  await makeTables(url);
  const holder = new pg.Client({ connectionString: url });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query(`
    CREATE FUNCTION public.wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock_shared(${LOCK}); RETURN NEW; END';
    CREATE TRIGGER gate BEFORE INSERT ON fathom.batch
      FOR EACH ROW WHEN (NEW.id > 1) EXECUTE FUNCTION public.wait_at_gate();
    SELECT pg_advisory_lock(${LOCK})`);
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
        { timeout: 120_000, interval: 10 },
      );
    },
    open: () => holder.end(),
  };
}
