import type { RoleConnectionStore } from '#core/linked-roles/store';
import { connectionOf, json } from '#stores/linked-roles/rows';
import type { Database } from '#stores/postgres/database';

/** Who connected for Linked Roles, and what Discord was told. */
export function createConnectionStore(db: Database): RoleConnectionStore {
  return {
    async find(account) {
      const [row] = await db.rows('SELECT * FROM role_connection WHERE account = $1', [account]);
      return row && connectionOf(row);
    },
    async connect(account, tokens, now) {
      // Of one that is there, what was shown stays known.
      await db.run(
        `INSERT INTO role_connection AS old
           (account, tokens, version, connected_at, checked_at, told)
         VALUES ($1, $2, 1, $3, 0, 0)
         ON CONFLICT (account) DO UPDATE SET tokens = excluded.tokens, version = old.version + 1,
           connected_at = excluded.connected_at, checked_at = 0, told = 0`,
        [account, tokens, now],
      );
    },
    async replaceTokens(account, version, tokens) {
      const changed = await db.run(
        `UPDATE role_connection SET tokens = $3, version = version + 1
         WHERE account = $1 AND version = $2`,
        [account, version, tokens],
      );
      return changed > 0;
    },
    async note(account, { shown, isTold, fall, checkedAt }) {
      await db.run(
        `UPDATE role_connection SET shown = $2, told = $3, fall = $4, checked_at = $5
         WHERE account = $1`,
        [account, json(shown), isTold ? 1 : 0, json(fall), checkedAt],
      );
    },
    async due(checkedBy, latest, limit) {
      const rows = await db.rows(
        `SELECT * FROM role_connection WHERE checked_at <= $1 OR checked_at > $2
         ORDER BY checked_at, account LIMIT $3`,
        [checkedBy, latest, limit],
      );
      return rows.map(connectionOf);
    },
    async drop(account, version) {
      const sql = 'DELETE FROM role_connection WHERE account = $1 AND version = $2';
      return (await db.run(sql, [account, version])) > 0;
    },
  };
}
