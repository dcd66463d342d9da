import type { Dialect, SqlRunner, SqlScript, Statement, StatementResult } from '#stores/sql/script';
import type { Database, Queries } from './database.ts';
import { lockAccount, lockWallets } from './locks.ts';
import { isDuplicate, retryConflicts } from './retry-conflicts.ts';

const DIALECT: Dialect = {
  isIn: (column, list) => `${column} = ANY (${list})`,
  indexedBy: () => '',
  nextNumber: () => 'DEFAULT',
  elements: (list) => `(SELECT unnest(${list}::text[]) AS value)`,
  forUpdate: 'FOR UPDATE',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  lockAccount,
  lockWallets,
};

export function createPostgresRunner(db: Database): SqlRunner {
  return {
    dialect: DIALECT,
    query: (script) => drive(db, script),
    transact: (script) => retryConflicts(() => db.transaction((queries) => drive(queries, script))),
    async changeUnlessDuplicate(sql, values) {
      try {
        return (await db.run(sql, values)) > 0;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    snapshot: (script) =>
      db.transaction(async (queries) => {
        await queries.run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
        return await drive(queries, script);
      }),
  };
}

/** Runs a script's statements on one connection, or on any. */
export async function drive<T>(db: Queries, script: () => SqlScript<T>): Promise<T> {
  const steps = script();
  let step = steps.next();
  while (!step.done) step = steps.next(await execute(db, step.value));
  return step.value;
}

async function execute(db: Queries, { wants, sql, values }: Statement): Promise<StatementResult> {
  switch (wants) {
    case 'rows':
      return { rows: await db.rows(sql, values) };
    case 'arrays':
      return { arrays: await db.arrays(sql, values) };
    case 'changes':
      return { changes: await db.run(sql, values) };
  }
}
