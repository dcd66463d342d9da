import pg from 'pg';
import { vi } from 'vitest';
import { patienceMs } from '../patience.ts';
import { makeTables } from './operations.ts';

/** A place where a program that writes to a database stops until the gate is opened. */
export interface Gate {
  /** Resolves once the program has arrived. */
  reached(): Promise<void>;
  /** Lets it go on for good, as does the end of the server or of all connections. */
  open(): Promise<void>;
}

/** Any number that Fathom itself doesn't lock. */
const LOCK = 4711;

/**
 * Creates the tables, and a gate before a row is inserted into one of them. Without it, a test that wants to
 * disturb a program is too late whenever the program gets more CPU than the test.
 * @param url of an empty database
 * @param when an SQL condition for the rows that are held
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
          // Over this connection: the server would start a process for each other one.
          const { rowCount } = await holder.query(
            `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
          );
          return rowCount !== 0;
        },
        // An import lowers its priority, so while others use all cores it hardly gets any CPU.
        { timeout: patienceMs(240_000), interval: 20 },
      );
    },
    open: () => {
      opened ??= holder.end();
      return opened;
    },
  };
}
