import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { EvidenceSnapshot } from '#scoring/proof';
import { readEvidenceSnapshot } from '#storage/scoring/evidence-snapshot';
import { rowsOf } from '#storage/sqlite/arrays';
import { BUSY_TIMEOUT_MS, MEMORY, READER_SETTINGS } from '#storage/sqlite/database';
import { translatingErrors } from '#storage/sqlite/errors';

/**
 * Reads a file as of one moment, on a connection of its own. A database in memory has no second
 * connection, and no other writer.
 */
export function openEvidenceSnapshot(main: DatabaseSync, file: string): Promise<EvidenceSnapshot> {
  const isOwn = file !== MEMORY;
  const db = isOwn ? translatingErrors(file, () => openReader(file)) : main;
  const statements = { rows: new Map<string, StatementSync>(), arrays: new Map() };
  const prepare = (kind: keyof typeof statements, sql: string): StatementSync => {
    const statement = statements[kind].get(sql) ?? db.prepare(sql.replace(/\$(\d)/g, '?$1'));
    statements[kind].set(sql, statement);
    return statement;
  };
  return readEvidenceSnapshot({
    rows: async (sql, values = []) =>
      translatingErrors(file, () => prepare('rows', sql).all(...(values as SQLInputValue[]))),
    arrays: async (sql, values = []) =>
      translatingErrors(file, () => rowsOf(prepare('arrays', sql), ...values)),
    async close() {
      if (isOwn && db.isOpen) db.close();
    },
  });
}

function openReader(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  db.exec(`${READER_SETTINGS}; BEGIN`);
  return db;
}
