import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Cluster } from '../../../bench/servers/postgres/cluster.ts';
import { KeptSessions } from './kept-sessions.ts';
import { createMigratedDatabase } from './migrated.ts';

/** Keeps what the tables and sequences of a migrated database hold. */
const REMEMBER = `
  CREATE SCHEMA migrated;
  CREATE TABLE migrated.sequences AS
    SELECT format('%I.%I', schemaname, sequencename) AS name,
      coalesce(last_value, start_value) AS value, last_value IS NOT NULL AS is_called
    FROM pg_sequences WHERE schemaname = 'fathom';
  DO $$
    DECLARE name text; has_rows boolean;
    BEGIN
      FOR name IN SELECT relname FROM pg_class
        WHERE relnamespace = 'fathom'::regnamespace AND relkind = 'r' LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM fathom.%I)', name) INTO has_rows;
        IF has_rows THEN EXECUTE format('CREATE TABLE migrated.%1$I AS TABLE fathom.%1$I', name); END IF;
      END LOOP;
    END $$`;

/** Brings them back. A large table is cut off, since the rows of a small one are deleted sooner. */
const RESTORE = `
  SET session_replication_role = replica;
  DO $$
    DECLARE name text; size bigint;
    BEGIN
      FOR name, size IN SELECT relname, pg_relation_size(oid) FROM pg_class
        WHERE relnamespace = 'fathom'::regnamespace AND relkind = 'r' LOOP
        IF size > 65536 THEN EXECUTE format('TRUNCATE fathom.%I CASCADE', name);
        ELSIF size > 0 THEN EXECUTE format('DELETE FROM fathom.%I', name);
        END IF;
      END LOOP;
      FOR name IN SELECT relname FROM pg_class
        WHERE relnamespace = 'migrated'::regnamespace AND relkind = 'r' AND relname <> 'sequences' LOOP
        EXECUTE format('INSERT INTO fathom.%1$I OVERRIDING SYSTEM VALUE TABLE migrated.%1$I', name);
      END LOOP;
      PERFORM setval(s.name::regclass, s.value, s.is_called) FROM migrated.sequences s;
    END $$`;

/** A database, and the connection that empties it: a new one would first have to read about all tables. */
interface Emptied {
  readonly url: string;
  readonly client: pg.Client;
}

/** A server's databases for tests that close what they open: creating one takes longer than emptying it. */
export class EmptiedDatabases {
  #last: Emptied | undefined;
  #sessions: KeptSessions | undefined;

  /** Returns the URL of a database with all tables and nothing in them. The one before is over then. */
  async take(cluster: Cluster): Promise<string> {
    this.#sessions ??= await KeptSessions.before(cluster);
    const last = this.#last;
    if (last !== undefined) {
      if (await isRestored(last, this.#sessions)) return last.url;
      await last.client.end();
    }
    const url = await createMigratedDatabase(cluster);
    const client = new pg.Client({ connectionString: url });
    // The server may end before the tests do.
    client.on('error', () => undefined);
    await client.connect();
    await client.query(REMEMBER);
    this.#last = { url: this.#sessions.urlOf(url), client };
    return this.#last.url;
  }

  /** Call it before the server ends. */
  async close(): Promise<void> {
    await this.#last?.client.end();
    this.#last = undefined;
    await this.#sessions?.close();
    this.#sessions = undefined;
  }
}

/** @returns whether the database could be emptied; not while something else uses it */
async function isRestored({ client }: Emptied, sessions: KeptSessions): Promise<boolean> {
  for (let tries = 1; sessions.inUse > 0 || (await hasOthers(client)); tries += 1) {
    if (tries === 20) return false;
    await sleep(10);
  }
  await client.query(RESTORE);
  return true;
}

/** Whether a session whose client has gone still does something. */
async function hasOthers(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
  );
  return rowCount !== 0;
}
