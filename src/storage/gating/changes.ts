import { accountKey } from '#command';
import type { Change, GateStore } from '#gating';
import { insertInto } from '#storage/sql/insert';
import { type Dialect, rows, run, type SqlRunner, type SqlScript } from '#storage/sql/script';
import { addToAudit } from './audit.ts';
import { holdRules, writeGrants } from './grants.ts';
import { changeOf, communityOfRow, tallyOf } from './rows.ts';

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
    markChange: (change, row, community, grants) =>
      sql.transact(function* (): SqlScript<boolean> {
        const { run: of, number, rule, account, status, reason, heldBefore } = change;
        // Prevents concurrent erasure of the account and deletion of its rule or run.
        yield* dialect.shareAccount(accountKey({ platform: community.platform, id: account }));
        const rules = [rule, ...grants.map((grant) => grant.rule)];
        const live = yield* holdRules(dialect, community, rules);
        yield* holdRuns(dialect, [of]);
        const marked = yield* run(
          `UPDATE gate_change SET status = $3, reason = $4, held_before = $5, settled_at = $6
           WHERE run = $1 AND number = $2`,
          [of, number, status, reason, heldBefore, row.at],
        );
        // A change that was made is logged and remembered regardless.
        if (marked === 0 && status !== 'done') return false;
        yield* addToAudit(dialect, [row]);
        yield* writeGrants(dialect, community, grants, live);
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
         WHERE platform = $1 AND community = $2 AND status IN ('begun', 'unknown')
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
             AND cause IN ('sweep', 'moderator') AND confirmed_by IS NULL`,
          [platform, id, since],
        );
        return found.map((row) => ({ grant: String(row.grant_id), account: String(row.account) }));
      }),
  };
}

const INTO_CHANGES = insertInto('gate_change', [
  ...['run', 'number', 'platform', 'community', 'rule', 'account', 'grant_id', 'step', 'status'],
  ...['reason', 'restores'],
]);

function* plan(dialect: Dialect, planned: readonly Change[]): SqlScript<void> {
  const runs = yield* holdRuns(dialect, [...new Set(planned.map((change) => change.run))]);
  const communities = new Map(runs.map((row) => [row.id, communityOfRow(row)]));
  const rowOf = (change: Change) => {
    const { run: of, number, rule, account, grant, step, status, reason, restores } = change;
    const community = communities.get(of);
    if (community === undefined) throw new Error(`run ${of} is not in the store`);
    const { platform, id } = community;
    return [of, number, platform, id, rule, account, grant, step, status, reason, restores];
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
