import type { GateStore } from '#core/gating/store';
import { runOf } from '#stores/gating/rows';
import type { Database } from '#stores/postgres/database';
import { isDuplicate, retryConflicts } from '#stores/postgres/retry-conflicts';

/** Passes over communities; an index of the table sees to it that one runs at a time. */
export function createRunTable(
  db: Database,
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
  /** @returns false if another run of the community is under way */
  async function begun(sql: string, values: readonly string[]): Promise<boolean> {
    try {
      return (await db.run(sql, values)) > 0;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  return {
    async beginRun(run) {
      const { id, community, cause, by, startedAt, finishedAt, status, counts, undoes } = run;
      const { platform } = community;
      const rows = await db.run(
        `INSERT INTO gate_run
           (id, platform, community, cause, by_account, started_at, finished_at, status, counts,
            undoes, confirmed_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (platform, community) WHERE status = 'running' DO NOTHING`,
        [
          id,
          platform,
          community.id,
          cause,
          by,
          startedAt,
          finishedAt,
          status,
          JSON.stringify(counts),
          undoes,
          run.confirmedBy,
        ],
      );
      return rows > 0;
    },
    startRun: (run) =>
      begun(`UPDATE gate_run SET status = 'running' WHERE id = $1 AND status = 'queued'`, [run]),
    confirmRun: (run, by) =>
      begun(
        `UPDATE gate_run SET status = 'running', confirmed_by = $2
         WHERE id = $1 AND status = 'held'`,
        [run, by],
      ),
    async stopRun(run, by) {
      const stopped = await db.run(
        `UPDATE gate_run SET stopped_by = coalesce(stopped_by, $2)
         WHERE id = $1 AND status IN ('queued', 'running')`,
        [run, by],
      );
      return stopped > 0;
    },
    async run(id) {
      const [row] = await db.rows('SELECT * FROM gate_run WHERE id = $1', [id]);
      return row && runOf(row);
    },
    async endRun(run, status, counts, now) {
      await db.run(
        `UPDATE gate_run SET status = $2, counts = $3, finished_at =
           CASE WHEN $2 IN ('finished', 'stopped', 'undone') THEN coalesce(finished_at, $4) END
         WHERE id = $1`,
        [run, status, JSON.stringify(counts), now],
      );
    },
    forgetRun: (run) =>
      retryConflicts(() =>
        db.transaction(async (queries) => {
          // Whoever is about to do something in it is waited for, or finds it gone.
          await queries.run('SELECT 1 FROM gate_run WHERE id = $1 FOR UPDATE', [run]);
          const forgotten = await queries.run(
            `DELETE FROM gate_run WHERE id = $1 AND NOT EXISTS
               (SELECT 1 FROM gate_change WHERE run = $1 AND status IN ('begun', 'unknown', 'done'))`,
            [run],
          );
          if (forgotten > 0) await queries.run('DELETE FROM gate_change WHERE run = $1', [run]);
        }),
      ),
    async openRuns() {
      const sql = `SELECT * FROM gate_run WHERE status = 'running' OR status = 'queued' ORDER BY seq`;
      return (await db.rows(sql)).map(runOf);
    },
    async heldRuns({ platform, id }) {
      const rows = await db.rows(
        `SELECT * FROM gate_run WHERE platform = $1 AND community = $2 AND status = 'held'
         ORDER BY seq DESC`,
        [platform, id],
      );
      return rows.map(runOf);
    },
    async untoldRuns(limit) {
      const rows = await db.rows(
        `SELECT * FROM gate_run
         WHERE told_at IS NULL AND (status = 'held' OR cause = 'member') ORDER BY seq LIMIT $1`,
        [limit],
      );
      return rows.map(runOf);
    },
    async tellRuns(runs, now) {
      await db.run('UPDATE gate_run SET told_at = $2 WHERE id = ANY($1) AND told_at IS NULL', [
        runs,
        now,
      ]);
    },
    async runsOf({ platform, id }, limit) {
      const rows = await db.rows(
        'SELECT * FROM gate_run WHERE platform = $1 AND community = $2 ORDER BY seq DESC LIMIT $3',
        [platform, id, limit],
      );
      return rows.map(runOf);
    },
  };
}
