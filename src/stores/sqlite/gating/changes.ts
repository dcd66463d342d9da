import type { DatabaseSync } from 'node:sqlite';
import type { Change } from '#core/gating/audit';
import type { GateStore } from '#core/gating/store';
import { changeOf } from '#stores/gating/rows';
import { transaction } from '#stores/sqlite/database';
import { explained } from '#stores/sqlite/errors';
import { createAuditWriter } from './audit.ts';
import { createGrantWriter } from './grants.ts';

/** What runs do to members, and how far they are. */
export function createChangeTable(
  db: DatabaseSync,
  file: string,
): Pick<GateStore, 'planChanges' | 'changesOf' | 'markChange'> {
  const addToAudit = createAuditWriter(db);
  const writeGrants = createGrantWriter(db);
  const sql = {
    plan: db.prepare(
      `INSERT INTO gate_change
         (run, number, platform, community, rule, account, step, status, reason)
       SELECT id, ?, platform, community, ?, ?, ?, ?, ? FROM gate_run WHERE id = ?`,
    ),
    all: db.prepare(
      'SELECT * FROM gate_change WHERE run = ? AND number > ? ORDER BY number LIMIT ?',
    ),
    ofStatus: db.prepare(
      `SELECT * FROM gate_change INDEXED BY gate_change_status
       WHERE run = ? AND status = ? AND number > ?
       ORDER BY number LIMIT ?`,
    ),
    mark: db.prepare('UPDATE gate_change SET status = ?, reason = ? WHERE run = ? AND number = ?'),
  };

  function plan({ number, run, rule, account, step, status, reason }: Change): void {
    const { changes } = sql.plan.run(number, rule, account, step, status, reason, run);
    if (Number(changes) === 0) throw new Error(`run ${run} is not in the store`);
  }

  return {
    planChanges(changes) {
      explained(file, () => transaction(db, () => changes.forEach(plan)));
    },
    changesOf(run, status, after, limit) {
      const rows = explained(file, () =>
        status === undefined
          ? sql.all.all(run, after, limit)
          : sql.ofStatus.all(run, status, after, limit),
      );
      return rows.map(changeOf);
    },
    markChange({ run, number, status, reason }, row, community, grant) {
      return explained(file, () =>
        transaction(db, () => {
          const isThere = Number(sql.mark.run(status, reason, run, number).changes) > 0;
          // What was done is told and remembered all the same.
          if (!isThere && status !== 'done') return false;
          addToAudit(row);
          if (grant !== undefined) writeGrants(community, [grant]);
          return true;
        }),
      );
    },
  };
}
