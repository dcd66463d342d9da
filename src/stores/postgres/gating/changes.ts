import type { Change } from '#core/gating/audit';
import type { GateStore } from '#core/gating/store';
import { accountKey } from '#core/links/account';
import { changeOf, tallyOf } from '#stores/gating/rows';
import type { Database, Queries } from '#stores/postgres/database';
import { shareAccount } from '#stores/postgres/locks';
import { retryConflicts } from '#stores/postgres/retry-conflicts';
import { drive } from '#stores/postgres/runner';
import { chunksOf, unnestColumns } from '#stores/postgres/unnest';
import { addToAudit } from './audit.ts';
import { writeGrants } from './grants.ts';

/** Changes that runs make to members, and their progress. */
export function createChangeTable(
  db: Database,
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
  return {
    planChanges: (changes) =>
      retryConflicts(() => db.transaction((queries) => plan(queries, changes))),
    async changesOf(run, status, after, limit) {
      const ofStatus = status === undefined ? '' : 'AND status = $4';
      const rows = await db.rows(
        `SELECT * FROM gate_change WHERE run = $1 AND number > $2 ${ofStatus}
         ORDER BY number LIMIT $3`,
        [run, after, limit, ...(status === undefined ? [] : [status])],
      );
      return rows.map(changeOf);
    },
    markChange: (change, row, community, grants) =>
      retryConflicts(() =>
        db.transaction(async (queries) => {
          const { platform, id } = community;
          // Prevents concurrent erasure of the account and deletion of its rule or run.
          await drive(queries, () => shareAccount(accountKey({ platform, id: change.account })));
          await queries.run(
            `SELECT 1 FROM gate_rule WHERE platform = $1 AND community = $2 AND id = ANY ($3)
             ORDER BY id FOR KEY SHARE`,
            [platform, id, [change.rule, ...grants.map(({ rule }) => rule)]],
          );
          await holdRuns(queries, [change.run]);
          const marked = await queries.run(
            `UPDATE gate_change SET status = $3, reason = $4, held_before = $5, settled_at = $6
             WHERE run = $1 AND number = $2`,
            [change.run, change.number, change.status, change.reason, change.heldBefore, row.at],
          );
          // A change that was made is logged and remembered regardless.
          if (marked === 0 && change.status !== 'done') return false;
          await addToAudit(queries, [row]);
          if (grants.length > 0) await writeGrants(queries, community, grants);
          return true;
        }),
      ),
    async skipPlanned(run, rule, reason) {
      await db.run(
        `UPDATE gate_change SET status = 'skipped', reason = $2
         WHERE run = $1 AND status = 'planned' AND ($3::text IS NULL OR rule = $3)`,
        [run, reason, rule],
      );
    },
    async tallyOf(run) {
      const rows = await db.rows(
        `SELECT step, status, count(*) AS count FROM gate_change WHERE run = $1
         GROUP BY step, status`,
        [run],
      );
      return rows.map(tallyOf);
    },
    async unsettledOf({ platform, id }, account) {
      const rows = await db.rows(
        `SELECT * FROM gate_change WHERE platform = $1 AND community = $2
           AND status IN ('begun', 'unknown') AND ($3::text IS NULL OR account = $3)
         ORDER BY run, number`,
        [platform, id, account],
      );
      return rows.map(changeOf);
    },
    async takenSince({ platform, id }, since) {
      const rows = await db.rows(
        `SELECT DISTINCT change.grant_id, change.account
         FROM gate_change AS change JOIN gate_run ON gate_run.id = change.run
         WHERE change.platform = $1 AND change.community = $2 AND change.status = 'done'
           AND change.step = 'take' AND change.settled_at > $3
           AND cause IN ('sweep', 'moderator') AND confirmed_by IS NULL`,
        [platform, id, since],
      );
      return rows.map((row) => ({ grant: String(row.grant_id), account: String(row.account) }));
    },
  };
}

async function plan(db: Queries, changes: readonly Change[]): Promise<void> {
  const runs = [...new Set(changes.map(({ run }) => run))];
  if ((await holdRuns(db, runs)) < runs.length) {
    throw new Error(`of the runs ${runs.join(', ')} not all are in the store`);
  }
  for (const part of chunksOf(changes)) await insert(db, part);
}

async function insert(db: Queries, changes: readonly Change[]): Promise<void> {
  await db.run(
    `INSERT INTO gate_change
       (run, number, platform, community, rule, account, grant_id, step, status, reason, restores)
     SELECT run, number, platform, community, rule, account, grant_id, step, planned.status, reason,
       restores
     FROM unnest(
       $1::text[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::text[], $9::text[]
     ) AS planned (run, number, rule, account, grant_id, step, status, reason, restores)
     JOIN gate_run ON gate_run.id = run
     ORDER BY run, number`,
    unnestColumns(
      changes,
      ({ run }) => run,
      ({ number }) => number,
      ({ rule }) => rule,
      ({ account }) => account,
      ({ grant }) => grant,
      ({ step }) => step,
      ({ status }) => status,
      ({ reason }) => reason,
      ({ restores }) => restores,
    ),
  );
}

/** Runs can't be deleted before this transaction ends. @returns how many exist */
async function holdRuns(db: Queries, runs: readonly string[]): Promise<number> {
  return await db.run('SELECT 1 FROM gate_run WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE', [
    runs,
  ]);
}
