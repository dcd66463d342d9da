import type { DatabaseSync } from 'node:sqlite';
import type { GateStore } from '#core/gating/store';
import { runOf } from '#stores/gating/rows';
import { transaction } from '#stores/sqlite/database';
import { translatingErrors } from '#stores/sqlite/errors';

/** Passes over communities; an index of the table sees to it that one runs at a time. */
export function createRunTable(
  db: DatabaseSync,
  file: string,
): Pick<
  GateStore,
  | 'beginRun'
  | 'startRun'
  | 'confirmRun'
  | 'stopRun'
  | 'run'
  | 'endRun'
  | 'forgetRun'
  | 'openRuns'
  | 'heldRuns'
  | 'untoldRuns'
  | 'tellRuns'
  | 'runsOf'
> {
  const sql = {
    begin: db.prepare(
      `INSERT INTO gate_run
         (id, platform, community, cause, by_account, started_at, finished_at, status, counts, undoes,
          confirmed_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (platform, community) WHERE status = 'running' DO NOTHING`,
    ),
    end: db.prepare(
      `UPDATE gate_run SET status = ?1, counts = ?2, finished_at =
         CASE WHEN ?1 IN ('finished', 'stopped', 'undone') THEN ifnull(finished_at, ?3) END
       WHERE id = ?4`,
    ),
    forget: db.prepare(
      `DELETE FROM gate_run WHERE id = ?1
       AND NOT EXISTS (SELECT 1 FROM gate_change WHERE run = ?1 AND status IN ('begun', 'unknown', 'done'))`,
    ),
    forgetChanges: db.prepare('DELETE FROM gate_change WHERE run = ?'),
    start: db.prepare(
      `UPDATE OR IGNORE gate_run SET status = 'running' WHERE id = ? AND status = 'queued'`,
    ),
    confirm: db.prepare(
      `UPDATE OR IGNORE gate_run SET status = 'running', confirmed_by = ?2
       WHERE id = ?1 AND status = 'held'`,
    ),
    stop: db.prepare(
      `UPDATE gate_run SET stopped_by = ifnull(stopped_by, ?2) WHERE id = ?1 AND status IN ('queued', 'running')`,
    ),
    one: db.prepare('SELECT * FROM gate_run WHERE id = ?'),
    open: db.prepare(
      `SELECT * FROM gate_run INDEXED BY gate_run_running WHERE status = 'running'
       UNION ALL SELECT * FROM gate_run INDEXED BY gate_run_queued WHERE status = 'queued'
       ORDER BY seq`,
    ),
    held: db.prepare(
      `SELECT * FROM gate_run INDEXED BY gate_run_held
       WHERE platform = ? AND community = ? AND status = 'held' ORDER BY seq DESC`,
    ),
    untold: db.prepare(
      `SELECT * FROM gate_run INDEXED BY gate_run_untold
       WHERE told_at IS NULL AND (status = 'held' OR cause = 'member') ORDER BY seq LIMIT ?`,
    ),
    tell: db.prepare(
      `UPDATE gate_run SET told_at = ?2
       WHERE id IN (SELECT value FROM json_each(?1)) AND told_at IS NULL`,
    ),
    newest: db.prepare(
      'SELECT * FROM gate_run WHERE platform = ? AND community = ? ORDER BY seq DESC LIMIT ?',
    ),
  };

  return {
    beginRun(run) {
      const {
        id,
        community,
        cause,
        by,
        startedAt,
        finishedAt,
        status,
        counts,
        undoes,
        confirmedBy,
      } = run;
      const { changes } = translatingErrors(file, () =>
        sql.begin.run(
          id,
          community.platform,
          community.id,
          cause,
          by ?? null,
          startedAt,
          finishedAt ?? null,
          status,
          JSON.stringify(counts),
          undoes ?? null,
          confirmedBy ?? null,
        ),
      );
      return Number(changes) > 0;
    },
    startRun: (run) => Number(translatingErrors(file, () => sql.start.run(run)).changes) > 0,
    confirmRun: (run, by) =>
      Number(translatingErrors(file, () => sql.confirm.run(run, by)).changes) > 0,
    stopRun: (run, by) => Number(translatingErrors(file, () => sql.stop.run(run, by)).changes) > 0,
    run(id) {
      const row = translatingErrors(file, () => sql.one.get(id));
      return row && runOf(row);
    },
    endRun(run, status, counts, now) {
      translatingErrors(file, () => sql.end.run(status, JSON.stringify(counts), now, run));
    },
    forgetRun(run) {
      translatingErrors(file, () =>
        transaction(db, () => {
          if (Number(sql.forget.run(run).changes) > 0) sql.forgetChanges.run(run);
        }),
      );
    },
    openRuns: () => translatingErrors(file, () => sql.open.all()).map(runOf),
    heldRuns: ({ platform, id }) =>
      translatingErrors(file, () => sql.held.all(platform, id)).map(runOf),
    untoldRuns: (limit) => translatingErrors(file, () => sql.untold.all(limit)).map(runOf),
    tellRuns(runs, now) {
      translatingErrors(file, () => sql.tell.run(JSON.stringify(runs), now));
    },
    runsOf: ({ platform, id }, limit) =>
      translatingErrors(file, () => sql.newest.all(platform, id, limit)).map(runOf),
  };
}
