import type { GateStore } from '#core/gating/store';
import type { Database } from '#stores/postgres/database';
import { retryConflicts } from '#stores/postgres/retry-conflicts';

/**
 * What moves: a table, the columns that identify a row within its community, and the other columns.
 */
const MOVING: readonly (readonly [table: string, key: string, rest: readonly string[]])[] = [
  [
    'gate_rule',
    'id',
    [
      'grant_id',
      'grant_name',
      'requirements',
      'matching',
      'chain',
      'exclusive',
      'grace_seconds',
      'paused',
      'created_by',
      'created_at',
    ],
  ],
  ['gate_settings', '', ['log_channel', 'memory', 'roll', 'invite']],
  ['gate_member', 'account', ['protected', 'present']],
  ['gate_join_request', 'account', ['locale', 'asked_at']],
  ['gate_username', 'username', ['account', 'seen_at']],
  [
    'gate_grant',
    'account, rule',
    ['holds', 'lacks', 'first_lack_at', 'last_lack_at', 'warned_at', 'due_at', 'joined_at'],
  ],
  ['gate_bar', 'account, grant_id', ['barred_at', 'by_account', 'gone']],
  ['gate_refusal', 'account, grant_id', ['code', 'refused_at']],
  ['card_style', '', ['accent', 'banner_digest', 'banner']],
];

/** A Telegram group gets a new id when it becomes a supergroup; audit entries stay unchanged. */
export function createMoves(db: Database): Pick<GateStore, 'moveCommunity'> {
  const statements = MOVING.map(([table, key, rest]) => {
    const within = key === '' ? '' : `, ${key}`;
    const columns = `${rest.join(', ')}${within}`;
    // Rows that exist under the new id, which may appear at any moment, are replaced.
    return `
      WITH gone AS (DELETE FROM ${table} WHERE platform = $1 AND community = $2 RETURNING *)
      INSERT INTO ${table} (platform, community, ${columns})
      SELECT platform, $3, ${columns} FROM gone ORDER BY platform${within}
      ON CONFLICT (platform, community${within}) DO UPDATE SET
        ${rest.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  });

  return {
    moveCommunity: (from, to) =>
      retryConflicts(() =>
        db.transaction(async (queries) => {
          for (const sql of statements) await queries.run(sql, [from.platform, from.id, to.id]);
          await queries.run(
            `UPDATE gate_run SET status = 'finished', finished_at = started_at
             WHERE platform = $1 AND community = $2 AND status IN ('running', 'held')`,
            [from.platform, from.id],
          );
        }),
      ),
  };
}
