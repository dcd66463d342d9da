import type { DatabaseSync } from 'node:sqlite';
import type { Change } from '#core/gating/audit';
import type { GateStore } from '#core/gating/store';
import { changeOf, tallyOf } from '#stores/gating/rows';
import { transaction } from '#stores/sqlite/database';
import { translatingErrors } from '#stores/sqlite/errors';
import { createAuditWriter } from './audit.ts';
import { createGrantWriter } from './grants.ts';

/** Changes that runs make to members, and their progress. */
export function createChangeTable(
  db: DatabaseSync,
  file: string,
): Pick<
  GateStore,
  | 'planChanges'
  | 'changesOf'
  | 'markChange'
  | 'skipPlanned'
  | 'tallyOf'
  | 'unsettledOf'
  | 'takenSince'
> {
  const addToAudit = createAuditWriter(db);
  const writeGrants = createGrantWriter(db);
  const sql = {
    plan: db.prepare(
      `INSERT INTO gate_change
         (run, number, platform, community, rule, account, grant_id, step, status, reason, restores)
       SELECT id, ?, platform, community, ?, ?, ?, ?, ?, ?, ? FROM gate_run WHERE id = ?`,
    ),
    all: db.prepare(
      'SELECT * FROM gate_change WHERE run = ? AND number > ? ORDER BY number LIMIT ?',
    ),
    ofStatus: db.prepare(
      `SELECT * FROM gate_change INDEXED BY gate_change_status
       WHERE run = ? AND status = ? AND number > ?
       ORDER BY number LIMIT ?`,
    ),
    mark: db.prepare(
      `UPDATE gate_change SET status = ?3, reason = ?4, held_before = ?5, settled_at = ?6
       WHERE run = ?1 AND number = ?2`,
    ),
    skip: db.prepare(
      `UPDATE gate_change SET status = 'skipped', reason = ?2
       WHERE run = ?1 AND status = 'planned' AND (?3 IS NULL OR rule = ?3)`,
    ),
    tally: db.prepare(
      `SELECT step, status, count(*) AS count FROM gate_change WHERE run = ? GROUP BY step, status`,
    ),
    unsettled: db.prepare(
      `SELECT * FROM gate_change INDEXED BY gate_change_unsettled
       WHERE platform = ?1 AND community = ?2 AND status IN ('begun', 'unknown')
         AND (?3 IS NULL OR account = ?3)
       ORDER BY run, number`,
    ),
    taken: db.prepare(
      `SELECT DISTINCT gate_change.grant_id, gate_change.account
       FROM gate_change INDEXED BY gate_change_taken JOIN gate_run ON gate_run.id = run
       WHERE gate_change.platform = ? AND gate_change.community = ?
         AND gate_change.status = 'done' AND step = 'take' AND settled_at > ?
         AND cause IN ('sweep', 'moderator') AND confirmed_by IS NULL`,
    ),
  };

  function plan(change: Change): void {
    const { number, run, rule, account, grant, step, status, reason, restores } = change;
    const { changes } = sql.plan.run(
      number,
      rule,
      account,
      grant,
      step,
      status,
      reason,
      restores ?? null,
      run,
    );
    if (Number(changes) === 0) throw new Error(`run ${run} is not in the store`);
  }

  return {
    planChanges(changes) {
      translatingErrors(file, () => transaction(db, () => changes.forEach(plan)));
    },
    changesOf(run, status, after, limit) {
      const rows = translatingErrors(file, () =>
        status === undefined
          ? sql.all.all(run, after, limit)
          : sql.ofStatus.all(run, status, after, limit),
      );
      return rows.map(changeOf);
    },
    markChange({ run, number, status, reason, heldBefore }, row, community, grants) {
      return translatingErrors(file, () =>
        transaction(db, () => {
          const marked = sql.mark.run(run, number, status, reason, heldBefore ?? null, row.at);
          const isThere = Number(marked.changes) > 0;
          // A change that was made is logged and remembered regardless.
          if (!isThere && status !== 'done') return false;
          addToAudit(row);
          writeGrants(community, grants);
          return true;
        }),
      );
    },
    skipPlanned(run, rule, reason) {
      translatingErrors(file, () => sql.skip.run(run, reason, rule ?? null));
    },
    tallyOf: (run) => translatingErrors(file, () => sql.tally.all(run)).map(tallyOf),
    unsettledOf: ({ platform, id }, account) =>
      translatingErrors(file, () => sql.unsettled.all(platform, id, account ?? null)).map(changeOf),
    takenSince: ({ platform, id }, since) =>
      translatingErrors(file, () => sql.taken.all(platform, id, since)).map((row) => ({
        grant: String(row.grant_id),
        account: String(row.account),
      })),
  };
}
