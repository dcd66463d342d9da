import type { Change } from '#core/gating/audit';
import type { GateStore } from '#core/gating/store';
import { accountKey } from '#core/links/account';
import { changeOf } from '#stores/gating/rows';
import { retried } from '#stores/postgres/conflicts';
import type { Database, Queries } from '#stores/postgres/database';
import { columnsOf, partsOf } from '#stores/postgres/lists';
import { shareAccount } from '#stores/postgres/locks';
import { addToAudit } from './audit.ts';
import { writeGrants } from './grants.ts';

/** What runs do to members, and how far they are. */
export function createChangeTable(
  db: Database,
): Pick<GateStore, 'planChanges' | 'changesOf' | 'markChange'> {
  return {
    planChanges: (changes) => retried(() => db.transaction((queries) => plan(queries, changes))),
    async changesOf(run, status, after, limit) {
      const ofStatus = status === undefined ? '' : 'AND status = $4';
      const rows = await db.rows(
        `SELECT * FROM gate_change WHERE run = $1 AND number > $2 ${ofStatus}
         ORDER BY number LIMIT $3`,
        [run, after, limit, ...(status === undefined ? [] : [status])],
      );
      return rows.map(changeOf);
    },
    markChange: (change, row, community, grant) =>
      retried(() =>
        db.transaction(async (queries) => {
          const { platform, id } = community;
          // Its account must not be erased in the midst of this, nor its rule or run forgotten.
          await shareAccount(queries, accountKey({ platform, id: change.account }));
          await queries.run(
            `SELECT 1 FROM gate_rule WHERE platform = $1 AND community = $2 AND id = $3
             FOR KEY SHARE`,
            [platform, id, change.rule],
          );
          await holdRuns(queries, [change.run]);
          const marked = await queries.run(
            'UPDATE gate_change SET status = $3, reason = $4 WHERE run = $1 AND number = $2',
            [change.run, change.number, change.status, change.reason],
          );
          // What was done is told and remembered all the same.
          if (marked === 0 && change.status !== 'done') return false;
          await addToAudit(queries, [row]);
          if (grant !== undefined) await writeGrants(queries, community, [grant]);
          return true;
        }),
      ),
  };
}

async function plan(db: Queries, changes: readonly Change[]): Promise<void> {
  const runs = [...new Set(changes.map(({ run }) => run))];
  if ((await holdRuns(db, runs)) < runs.length) {
    throw new Error(`of the runs ${runs.join(', ')} not all are in the store`);
  }
  for (const part of partsOf(changes)) await insert(db, part);
}

async function insert(db: Queries, changes: readonly Change[]): Promise<void> {
  await db.run(
    `INSERT INTO gate_change
       (run, number, platform, community, rule, account, step, status, reason)
     SELECT run, number, platform, community, rule, account, step, planned.status, reason
     FROM unnest(
       $1::text[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]
     ) AS planned (run, number, rule, account, step, status, reason)
     JOIN gate_run ON gate_run.id = run
     ORDER BY run, number`,
    columnsOf(
      changes,
      ({ run }) => run,
      ({ number }) => number,
      ({ rule }) => rule,
      ({ account }) => account,
      ({ step }) => step,
      ({ status }) => status,
      ({ reason }) => reason,
    ),
  );
}

/** Runs can't be forgotten before this transaction ends. @returns how many of them there are */
async function holdRuns(db: Queries, runs: readonly string[]): Promise<number> {
  return await db.run('SELECT 1 FROM gate_run WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE', [
    runs,
  ]);
}
