import type { DatabaseSync } from 'node:sqlite';
import type { GateStore } from '#core/gating/store';
import { transaction } from '#stores/sqlite/database';
import { translatingErrors } from '#stores/sqlite/errors';

const TABLES = [
  'gate_rule',
  'gate_settings',
  'gate_member',
  'gate_join_request',
  'gate_username',
  'gate_grant',
  'gate_bar',
  'gate_refusal',
  'card_style',
];

/** A Telegram group gets a new id when it becomes a supergroup; audit entries stay unchanged. */
export function createMoves(db: DatabaseSync, file: string): Pick<GateStore, 'moveCommunity'> {
  const moving = TABLES.map((table) =>
    db.prepare(
      `UPDATE OR REPLACE ${table} SET community = ?3 WHERE platform = ?1 AND community = ?2`,
    ),
  );
  const close = db.prepare(
    `UPDATE gate_run SET status = 'finished', finished_at = started_at
     WHERE platform = ? AND community = ? AND status IN ('running', 'held')`,
  );
  return {
    moveCommunity(from, to) {
      translatingErrors(file, () =>
        transaction(db, () => {
          for (const statement of moving) statement.run(from.platform, from.id, to.id);
          close.run(from.platform, from.id);
        }),
      );
    },
  };
}
