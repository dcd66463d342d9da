import type { DatabaseSync } from 'node:sqlite';
import { UserError } from '#base';
import {
  MIGRATIONS,
  type Migration,
  type MigrationPlan,
  newestVersion,
  nextStep,
  requireBaseline,
} from '#storage/tables/migrations';
import { hasLineage, stamp } from './file/lineage.ts';

/** "FTHM": marks a file as Fathom's, so that we never write to another program's database. */
export const APPLICATION_ID = 0x4654484d;

/** The schema version of an open file; 0 for a new one. */
export function schemaVersion(db: DatabaseSync): number {
  return pragma(db, 'user_version');
}

/**
 * Rejects a file that isn't ours or is of a version we can't migrate, before writing to it.
 * @throws UserError `wrong-configuration`
 */
export function requireOurs(db: DatabaseSync, file: string): void {
  const version = schemaVersion(db);
  const known = newestVersion(MIGRATIONS.sqlite);
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
  requireBaseline(MIGRATIONS.sqlite, version, file);
}

/**
 * Migrates the file to the newest version, each step in its own transaction, so that a kill leaves
 * a consistent version behind. If two programs start at once, each step runs once.
 */
export function migrate(
  db: DatabaseSync,
  plan: MigrationPlan<Omit<Migration, 'worksFrom'>> = MIGRATIONS.sqlite,
): void {
  while (schemaVersion(db) < newestVersion(plan)) {
    db.exec('BEGIN IMMEDIATE');
    try {
      // Read again under the lock: another process may have been faster.
      const next = nextStep(plan, schemaVersion(db));
      if (next !== undefined) {
        // The step that brings the stamps makes the first one itself.
        const isStamped = hasLineage(db);
        db.exec(next.step.sql);
        if (isStamped) stamp(db);
        db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
        db.exec(`PRAGMA user_version = ${next.to}`);
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
