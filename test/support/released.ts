import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** What 0.1.0 takes over: databases of the last schema before it, made by the SQL of that time. */
export const RELEASED = { sqlite: 24, postgres: 25 };

const sqlOf = (name: string) =>
  readFileSync(new URL(`../storage/released/${name}.sql`, import.meta.url), 'utf8');

/** Makes a SQLite file as it was then, with no rows. */
export function makeReleasedFile(file: string, version = RELEASED.sqlite): void {
  using db = new DatabaseSync(file);
  db.exec(sqlOf('sqlite'));
  db.exec(`PRAGMA application_id = 0x4654484d; PRAGMA user_version = ${version}`);
}

/** Makes the tables of a Postgres database as they were then, with no rows. */
export async function makeReleasedTables(url: string, version = RELEASED.postgres): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=fathom' });
  await client.connect();
  try {
    await client.query(`
      CREATE SCHEMA fathom;
      CREATE TABLE schema_version (
        version integer PRIMARY KEY,
        name text NOT NULL,
        works_from integer NOT NULL,
        at timestamptz NOT NULL DEFAULT now()
      );
      INSERT INTO schema_version (version, name, works_from)
        SELECT n, 'step ' || n, n FROM generate_series(1, ${version}) AS n`);
    await client.query(sqlOf('postgres'));
  } finally {
    await client.end();
  }
}
