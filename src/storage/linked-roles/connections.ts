import type { RoleConnectionStore } from '#platforms/role-connections';
import { firstRow, rows, run, type SqlRunner, type SqlScript } from '#storage/sql/script';
import { json, roleConnectionOf } from './rows.ts';

/** Members connected for Linked Roles, and what we sent Discord. */
export function createConnectionStore(sql: SqlRunner): RoleConnectionStore {
  const hasChanged = (text: string, values: readonly unknown[]) =>
    sql.query(function* (): SqlScript<boolean> {
      return (yield* run(text, values)) > 0;
    });
  const change = (text: string, values: readonly unknown[]) =>
    sql.query(function* (): SqlScript<void> {
      yield* run(text, values);
    });

  return {
    find: (account) =>
      sql.query(function* () {
        const row = yield* firstRow('SELECT * FROM role_connection WHERE account = $1', [account]);
        return row && roleConnectionOf(row);
      }),
    // When a member reconnects, keep what was shown before.
    connect: (account, tokens, now) =>
      change(
        `INSERT INTO role_connection (account, tokens, version, connected_at, checked_at, told)
         VALUES ($1, $2, 1, $3, 0, 0)
         ON CONFLICT (account) DO UPDATE SET tokens = excluded.tokens,
           version = role_connection.version + 1, connected_at = excluded.connected_at,
           checked_at = 0, told = 0`,
        [account, tokens, now],
      ),
    replaceTokens: (account, version, tokens) =>
      hasChanged(
        `UPDATE role_connection SET tokens = $3, version = version + 1
         WHERE account = $1 AND version = $2`,
        [account, version, tokens],
      ),
    note: (account, { shown, isTold, fall, checkedAt }) =>
      change(
        `UPDATE role_connection SET shown = $2, told = $3, fall = $4, checked_at = $5
         WHERE account = $1`,
        [account, json(shown), isTold ? 1 : 0, json(fall), checkedAt],
      ),
    due: (checkedBy, latest, limit) =>
      sql.query(function* () {
        const found = yield* rows(
          `SELECT * FROM role_connection WHERE checked_at <= $1 OR checked_at > $2
           ORDER BY checked_at, account LIMIT $3`,
          [checkedBy, latest, limit],
        );
        return found.map(roleConnectionOf);
      }),
    drop: (account, version) =>
      hasChanged('DELETE FROM role_connection WHERE account = $1 AND version = $2', [
        account,
        version,
      ]),
  };
}
