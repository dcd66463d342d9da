import type { DatabaseSync } from 'node:sqlite';
import type { RoleConnectionStore } from '#core/linked-roles/store';
import { connectionOf, json } from '#stores/linked-roles/rows';
import { explained } from '#stores/sqlite/errors';

/** Who connected for Linked Roles, and what Discord was told. */
export function createConnectionStore(db: DatabaseSync, file: string): RoleConnectionStore {
  const sql = {
    find: db.prepare('SELECT * FROM role_connection WHERE account = ?'),
    // Of one that is there, what was shown stays known.
    connect: db.prepare(
      `INSERT INTO role_connection (account, tokens, version, connected_at, checked_at, told)
       VALUES (?, ?, 1, ?, 0, 0)
       ON CONFLICT (account) DO UPDATE SET tokens = excluded.tokens, version = version + 1,
         connected_at = excluded.connected_at, checked_at = 0, told = 0`,
    ),
    replace: db.prepare(
      `UPDATE role_connection SET tokens = ?, version = version + 1
       WHERE account = ? AND version = ?`,
    ),
    note: db.prepare(
      'UPDATE role_connection SET shown = ?, told = ?, fall = ?, checked_at = ? WHERE account = ?',
    ),
    due: db.prepare(
      `SELECT * FROM role_connection WHERE checked_at <= ? OR checked_at > ?
       ORDER BY checked_at, account LIMIT ?`,
    ),
    drop: db.prepare('DELETE FROM role_connection WHERE account = ? AND version = ?'),
  };
  const change = (work: () => { readonly changes: number | bigint }) =>
    Number(explained(file, work).changes) > 0;

  return {
    find(account) {
      const row = explained(file, () => sql.find.get(account));
      return row === undefined ? undefined : connectionOf(row);
    },
    connect(account, tokens, now) {
      explained(file, () => sql.connect.run(account, tokens, now));
    },
    replaceTokens: (account, version, tokens) =>
      change(() => sql.replace.run(tokens, account, version)),
    note(account, { shown, isTold, fall, checkedAt }) {
      const told = isTold ? 1 : 0;
      explained(file, () => sql.note.run(json(shown), told, json(fall), checkedAt, account));
    },
    due: (checkedBy, latest, limit) =>
      explained(file, () => sql.due.all(checkedBy, latest, limit)).map(connectionOf),
    drop: (account, version) => change(() => sql.drop.run(account, version)),
  };
}
