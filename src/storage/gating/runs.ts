import { accountKey } from '#command';
import type { Change, GateStore, Run, RunCounts } from '#gating';
import {
  type Dialect,
  firstRow,
  insertInto,
  OF_COMMUNITY,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
} from '#storage/sql/script';
import { addToAudit } from './audit.ts';
import { endRefusals, holdRules, writeGrants } from './grants.ts';
import { changeOf, communityOfRow, moveText, runOf, tallyOf } from './rows.ts';

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
  | 'leftChecks'
  | 'skipChecks'
  | 'heldRuns'
  | 'unreportedRuns'
  | 'markRunsReported'
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
        `SELECT * FROM gate_run WHERE ${OF_COMMUNITY} AND undoes = $3
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
    leftChecks: (begunBy, limit) =>
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
    skipChecks: ({ platform, id }, account, reason) =>
      sql.query(function* (): SqlScript<void> {
        yield* run(
          `UPDATE gate_change ${dialect.indexedBy('gate_change_account')}
           SET status = 'skipped', reason = $4
           WHERE ${OF_COMMUNITY} AND account = $3 AND status = 'planned'
             AND run IN (SELECT id FROM gate_run WHERE id = run AND cause = 'member')`,
          [platform, id, account, reason],
        );
      }),
    heldRuns: ({ platform, id }) =>
      list(
        `SELECT * FROM ${runs('gate_run_held')}
         WHERE ${OF_COMMUNITY} AND status = 'held' ORDER BY seq DESC`,
        [platform, id],
      ),
    unreportedRuns: (limit) =>
      list(
        `SELECT * FROM ${runs('gate_run_untold')}
         WHERE told_at IS NULL AND cause <> 'undo' AND status NOT IN ('queued', 'running')
         ORDER BY seq LIMIT $1`,
        [limit],
      ),
    markRunsReported: (ids, now) =>
      sql.query(function* (): SqlScript<void> {
        yield* run(
          `UPDATE gate_run SET told_at = $2 WHERE ${dialect.isIn('id', '$1')} AND told_at IS NULL`,
          [ids, now],
        );
      }),
    runsOf: ({ platform, id }, limit) =>
      list(`SELECT * FROM gate_run WHERE ${OF_COMMUNITY} ORDER BY seq DESC LIMIT $3`, [
        platform,
        id,
        limit,
      ]),
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

/** Changes that runs make to members, and their progress. */
export function createChangeTable(
  sql: SqlRunner,
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
  const { dialect } = sql;
  const changes = (index: string) => `gate_change ${dialect.indexedBy(index)}`;
  const list = (text: string, values: readonly unknown[]) =>
    sql.query(function* (): SqlScript<Change[]> {
      return (yield* rows(text, values)).map(changeOf);
    });

  return {
    planChanges: (planned) => sql.transact(() => plan(dialect, planned)),
    changesOf: (of, status, after, limit) =>
      status === undefined
        ? list(
            'SELECT * FROM gate_change WHERE run = $1 AND number > $2 ORDER BY number LIMIT $3',
            [...[of, after, limit]],
          )
        : list(
            `SELECT * FROM ${changes('gate_change_status')}
             WHERE run = $1 AND status = $4 AND number > $2 ORDER BY number LIMIT $3`,
            [of, after, limit, status],
          ),
    markChange: (change, row, community, grants, isRepeated = false) =>
      sql.transact(function* (): SqlScript<boolean> {
        const { run: of, number, rule, account, status, reason, ownershipBefore } = change;
        // Prevents concurrent erasure of the account and deletion of its rule or run.
        yield* dialect.shareAccount(accountKey({ platform: community.platform, id: account }));
        const rules = [rule, ...grants.map((grant) => grant.rule)];
        const live = yield* holdRules(dialect, community, rules);
        yield* holdRuns(dialect, [of]);
        const marked = yield* run(
          `UPDATE gate_change SET status = $3, reason = $4, held_before = $5, settled_at = $6
           WHERE run = $1 AND number = $2`,
          [of, number, status, reason, ownershipBefore, row.at],
        );
        // A change that was made is logged and remembered regardless.
        if (marked === 0 && status !== 'done') return false;
        if (!isRepeated) yield* addToAudit(dialect, [row]);
        yield* writeGrants(dialect, community, grants, live);
        if (status === 'done') yield* endRefusals(community, account);
        return true;
      }),
    skipPlanned: (of, rule, reason) =>
      sql.query(function* (): SqlScript<void> {
        yield* run(
          `UPDATE gate_change SET status = 'skipped', reason = $2
           WHERE run = $1 AND status = 'planned' AND (CAST($3 AS text) IS NULL OR rule = $3)`,
          [of, reason, rule],
        );
      }),
    tallyOf: (of) =>
      sql.query(function* () {
        const found = yield* rows(
          `SELECT step, status, count(*) AS count FROM gate_change WHERE run = $1
           GROUP BY step, status`,
          [of],
        );
        return found.map(tallyOf);
      }),
    unsettledOf: ({ platform, id }, account) =>
      list(
        `SELECT * FROM ${changes('gate_change_unsettled')}
         WHERE ${OF_COMMUNITY} AND status IN ('begun', 'unknown')
           AND (CAST($3 AS text) IS NULL OR account = $3)
         ORDER BY run, number`,
        [platform, id, account],
      ),
    takenSince: ({ platform, id }, since) =>
      sql.query(function* () {
        const found = yield* rows(
          `SELECT DISTINCT change.grant_id, change.account
           FROM gate_change AS change ${dialect.indexedBy('gate_change_taken')}
             JOIN gate_run ON gate_run.id = change.run
           WHERE change.platform = $1 AND change.community = $2 AND change.status = 'done'
             AND change.step = 'take' AND change.settled_at > $3
             AND cause IN ('sweep', 'moderator') AND confirmed_by IS NULL
             AND (ladder IS NULL OR ladder NOT LIKE 'up %')`,
          [platform, id, since],
        );
        return found.map((row) => ({ grant: String(row.grant_id), account: String(row.account) }));
      }),
  };
}

const INTO_CHANGES = insertInto('gate_change', [
  ...['run', 'number', 'platform', 'community', 'rule', 'account', 'grant_id', 'step', 'status'],
  ...['reason', 'restores', 'ladder'],
]);

function* plan(dialect: Dialect, planned: readonly Change[]): SqlScript<void> {
  const runs = yield* holdRuns(dialect, [...new Set(planned.map((change) => change.run))]);
  const communities = new Map(runs.map((row) => [row.id, communityOfRow(row)]));
  const rowOf = (change: Change) => {
    const { run: of, number, rule, account, grant, step, status, reason, restores } = change;
    const ladder = change.ladder && moveText(change.ladder);
    const community = communities.get(of);
    if (community === undefined) throw new Error(`run ${of} is not in the store`);
    const { platform, id } = community;
    const where = [of, number, platform, id, rule, account, grant];
    return [...where, step, status, reason, restores, ladder];
  };
  yield* dialect.insert(INTO_CHANGES, planned.map(rowOf));
}

/** Runs can't be deleted before this transaction ends. @returns those that exist */
function holdRuns({ isIn, forKeyShare }: Dialect, ids: readonly string[]) {
  return rows(
    `SELECT id, platform, community FROM gate_run WHERE ${isIn('id', '$1')}
     ORDER BY id ${forKeyShare}`,
    [ids],
  );
}
