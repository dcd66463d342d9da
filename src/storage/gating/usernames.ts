import type { UsernameStore } from '#gating';
import { firstRow, run, type SqlRunner, type SqlScript } from '#storage/sql/script';

const ITS = 'platform = $1 AND community = $2';

/** Names by which members of a community can be mentioned. */
export function createUsernameTable(sql: SqlRunner): UsernameStore {
  return {
    noteUsername: ({ platform, id }, account, username, now) =>
      sql.transact(function* (): SqlScript<void> {
        const name = username?.toLowerCase() ?? '';
        yield* run(`DELETE FROM gate_username WHERE ${ITS} AND account = $3 AND username <> $4`, [
          ...[platform, id, account, name],
        ]);
        if (name === '') return;
        yield* run(
          `INSERT INTO gate_username (platform, community, username, account, seen_at)
           VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (platform, community, username) DO UPDATE SET
             account = excluded.account, seen_at = excluded.seen_at`,
          [platform, id, name, account, now],
        );
      }),
    accountNamed: ({ platform, id }, username) =>
      sql.query(function* (): SqlScript<string | undefined> {
        const text = `SELECT account FROM gate_username WHERE ${ITS} AND username = $3`;
        const row = yield* firstRow(text, [platform, id, username.toLowerCase()]);
        return row && String(row.account);
      }),
    expireUsernames: (before) =>
      sql.query(function* (): SqlScript<void> {
        yield* run('DELETE FROM gate_username WHERE seen_at < $1', [before]);
      }),
  };
}
