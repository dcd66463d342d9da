import type { GateStore, Run, RunCounts } from '#gating';
import { firstRow, rows, run, type SqlRunner, type SqlScript } from '#storage/sql/script';
import { addToAudit } from './audit.ts';
import { communityOfRow, runOf } from './rows.ts';

/** Runs over communities; a unique index ensures that only one is active at a time. */
export function createRunTable(
  sql: SqlRunner,
): Pick<
  GateStore,
  | 'beginRun'
  | 'startRun'
  | 'confirmRun'
  | 'stopRun'
  | 'run'
  | 'undosOf'
  | 'endRun'
  | 'endUndo'
  | 'forgetRun'
  | 'openRuns'
  | 'leftLooks'
  | 'skipLooks'
  | 'heldRuns'
  | 'untoldRuns'
  | 'tellRuns'
  | 'runsOf'
> {
  const { dialect } = sql;
  const runs = (index: string) => `gate_run ${dialect.indexedBy(index)}`;
  const change = (text: string, values: readonly unknown[]) =>
    sql.query(function* (): SqlScript<boolean> {
      return (yield* run(text, values)) > 0;
    });
  const list = (text: string, values: readonly unknown[] = []) =>
    sql.query(function* () {
      return (yield* rows(text, values)).map(runOf);
    });

  return {
    beginRun: (begun) =>
      change(
        `INSERT INTO gate_run
           (id, platform, community, cause, by_account, started_at, finished_at, status, counts,
            undoes, confirmed_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (platform, community) WHERE status = 'running' DO NOTHING`,
        [
          begun.id,
          begun.community.platform,
          begun.community.id,
          begun.cause,
          begun.by,
          begun.startedAt,
          begun.finishedAt,
          begun.status,
          JSON.stringify(begun.counts),
          begun.undoes,
          begun.confirmedBy,
        ],
      ),
    // Another run of the community may be in progress.
    startRun: (id) =>
      sql.changeUnlessDuplicate(
        `UPDATE gate_run SET status = 'running' WHERE id = $1 AND status = 'queued'`,
        [id],
      ),
    confirmRun: (id, by) =>
      sql.changeUnlessDuplicate(
        `UPDATE gate_run SET status = 'running', confirmed_by = $2, told_at = NULL,
           seq = ${dialect.nextNumber('gate_run', 'seq')}
         WHERE id = $1 AND status = 'held'`,
        [id, by],
      ),
    stopRun: (id, by) =>
      change(
        `UPDATE gate_run SET stopped_by = coalesce(stopped_by, $2)
         WHERE id = $1 AND status IN ('queued', 'running')`,
        [id, by],
      ),
    run: (id) =>
      sql.query(function* () {
        const row = yield* firstRow('SELECT * FROM gate_run WHERE id = $1', [id]);
        return row && runOf(row);
      }),
    undosOf: ({ id, community }) =>
      list(
        `SELECT * FROM gate_run WHERE platform = $1 AND community = $2 AND undoes = $3
         ORDER BY seq`,
        [community.platform, community.id, id],
      ),
    endRun: (id, status, counts, now) =>
      sql.query(function* (): SqlScript<void> {
        yield* end(id, status, counts, now);
      }),
    endUndo: ({ id, undoes, counts }, row) =>
      sql.transact(function* (): SqlScript<void> {
        if ((yield* end(id, 'finished', counts, row.at)) === 0) return;
        yield* run(
          `UPDATE gate_run SET status = 'undone', finished_at = coalesce(finished_at, $2)
           WHERE id = $1`,
          [undoes, row.at],
        );
        yield* addToAudit(dialect, [row]);
      }),
    forgetRun: (id) =>
      sql.transact(function* (): SqlScript<void> {
        // A concurrent writer either finishes first or finds the run gone.
        yield* firstRow(`SELECT 1 FROM gate_run WHERE id = $1 ${dialect.forUpdate}`, [id]);
        const forgotten = yield* run(
          `DELETE FROM gate_run WHERE id = $1 AND NOT EXISTS
             (SELECT 1 FROM gate_change WHERE run = $1 AND status IN ('begun', 'unknown', 'done'))`,
          [id],
        );
        if (forgotten > 0) yield* run('DELETE FROM gate_change WHERE run = $1', [id]);
      }),
    openRuns: () =>
      list(
        `SELECT * FROM ${runs('gate_run_running')} WHERE status = 'running'
         UNION ALL SELECT * FROM ${runs('gate_run_queued')} WHERE status = 'queued'
         ORDER BY seq`,
      ),
    leftLooks: (begunBy, limit) =>
      sql.query(function* () {
        const left = (index: string, isLeft: string) =>
          `SELECT change.platform, change.community, account
           FROM gate_change AS change ${dialect.indexedBy(index)} JOIN gate_run ON id = run
           WHERE change.status ${isLeft} AND cause = 'member' AND started_at <= $1`;
        const found = yield* rows(
          `${left('gate_change_unsettled', "IN ('begun', 'unknown')")}
           UNION ${left('gate_change_planned', "= 'planned'")}
           ORDER BY 1, 2, 3 LIMIT $2`,
          [begunBy, limit],
        );
        return found.map((row) => ({
          community: communityOfRow(row),
          account: String(row.account),
        }));
      }),
    skipLooks: ({ platform, id }, account, reason) =>
      sql.query(function* (): SqlScript<void> {
        yield* run(
          `UPDATE gate_change ${dialect.indexedBy('gate_change_account')}
           SET status = 'skipped', reason = $4
           WHERE platform = $1 AND community = $2 AND account = $3 AND status = 'planned'
             AND run IN (SELECT id FROM gate_run WHERE id = run AND cause = 'member')`,
          [platform, id, account, reason],
        );
      }),
    heldRuns: ({ platform, id }) =>
      list(
        `SELECT * FROM ${runs('gate_run_held')}
         WHERE platform = $1 AND community = $2 AND status = 'held' ORDER BY seq DESC`,
        [platform, id],
      ),
    untoldRuns: (limit) =>
      list(
        `SELECT * FROM ${runs('gate_run_untold')}
         WHERE told_at IS NULL AND cause <> 'undo' AND status NOT IN ('queued', 'running')
         ORDER BY seq LIMIT $1`,
        [limit],
      ),
    tellRuns: (ids, now) =>
      sql.query(function* (): SqlScript<void> {
        yield* run(
          `UPDATE gate_run SET told_at = $2 WHERE ${dialect.isIn('id', '$1')} AND told_at IS NULL`,
          [ids, now],
        );
      }),
    runsOf: ({ platform, id }, limit) =>
      list(
        'SELECT * FROM gate_run WHERE platform = $1 AND community = $2 ORDER BY seq DESC LIMIT $3',
        [platform, id, limit],
      ),
  };
}

function* end(
  id: string,
  status: Run['status'],
  counts: RunCounts,
  now: number,
): SqlScript<number> {
  return yield* run(
    `UPDATE gate_run SET status = $2, counts = $3, finished_at =
       CASE WHEN $2 IN ('finished', 'stopped', 'undone') THEN coalesce(finished_at, $4) END
     WHERE id = $1`,
    [id, status, JSON.stringify(counts), now],
  );
}
