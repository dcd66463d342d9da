import type { DatabaseSync } from 'node:sqlite';
import { UserError } from '#core/errors';
import { MIGRATIONS, type Migration } from './schema.ts';

/** "FTHM": marks a file as Fathom's, so that another program's database is never written to. */
const APPLICATION_ID = 0x4654484d;

/** The schema version of an open file: how many migrations it has seen. */
export function schemaVersion(db: DatabaseSync): number {
  return pragma(db, 'user_version');
}

/**
 * Refuses a file that isn't ours or was made by a newer version, before anything is written to it.
 * @throws UserError `wrong-configuration`
 */
export function requireOurs(db: DatabaseSync, file: string, known = MIGRATIONS.length): void {
  const version = schemaVersion(db);
  const tables = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n;
  if (pragma(db, 'application_id') !== APPLICATION_ID && (version !== 0 || tables !== 0)) {
    throw new UserError(
      'wrong-configuration',
      `${file} is another program's database. We left it unchanged; set DATABASE_URL to another file.`,
    );
  }
  if (version > known) {
    throw new UserError(
      'wrong-configuration',
      `${file} was created by a newer Fathom (schema ${version}; this one knows ${known}). We left it unchanged; upgrade Fathom, restore a backup from before its upgrade, or set DATABASE_URL to another file.`,
    );
  }
}

/**
 * Brings the file to the newest version: each migration in a transaction of its own, so that a kill
 * in between leaves a whole version behind. Two programs that start at once do it once.
 */
export function migrate(db: DatabaseSync, migrations: readonly Migration[] = MIGRATIONS): void {
  while (schemaVersion(db) < migrations.length) {
    db.exec('BEGIN IMMEDIATE');
    try {
      // Read again under the lock: another process may have been faster.
      const version = schemaVersion(db);
      const next = migrations[version];
      if (next !== undefined) {
        db.exec(next.sql);
        db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
        db.exec(`PRAGMA user_version = ${version + 1}`);
      }
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}
