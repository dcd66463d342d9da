import {
  type Dialect,
  type InsertInto,
  run,
  type SqlRunner,
  type SqlScript,
  type Statement,
  type StatementResult,
} from '#storage/sql/script';
import { chunksOf, type Database, type Queries } from './database.ts';
import { isDuplicate, retryConflicts } from './errors.ts';
import { addBatchRow } from './ledger/batch.ts';
import { LOCK_SQL } from './ledger/write-lock.ts';

type Values = readonly unknown[];

export const DIALECT: Dialect = {
  isIn: (column, list) => `${column} = ANY (${list})`,
  indexedBy: () => '',
  nextNumber: () => 'DEFAULT',
  insert: insertTogether,
  elements: (list) => `(SELECT unnest(${list}::text[]) AS value)`,
  forUpdate: 'FOR UPDATE',
  forKeyShare: 'FOR KEY SHARE',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  lockLedger,
  addBatchRow,
  lockAccount,
  shareAccount,
  lockWallets,
};

/** Few statements for many rows: each one takes a round trip. */
function* insertTogether({ sql, key }: InsertInto, rows: readonly Values[]): SqlScript<number> {
  let added = 0;
  for (const part of chunksOf(key.length === 0 ? rows : lastOfEach(key, rows))) {
    const columns = part[0]?.map((_, index) => part.map((row) => row[index]));
    added += yield* run(sql.postgres, columns);
  }
  return added;
}

/**
 * The last row of each key: no statement can replace a row twice. They are always in the same order,
 * so that concurrent writers of the same rows don't deadlock.
 */
function lastOfEach(key: readonly number[], rows: readonly Values[]): Values[] {
  const compare = (a: Values, b: Values | undefined) => {
    for (const place of key) {
      const [one, other] = [String(a[place]), String(b?.[place])];
      if (one !== other) return one < other ? -1 : 1;
    }
    return 0;
  };
  const sorted = rows.toSorted(compare);
  return sorted.filter(
    (row, index) => index === sorted.length - 1 || compare(row, sorted[index + 1]) !== 0,
  );
}

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

/**
 * Named locks, held until the transaction ends. Always lock the account first, then its wallets, so
 * that no two transactions deadlock. Statements after a lock see everything that its last holder
 * committed, because each statement sees what was committed before it started.
 */

function* lockLedger(): SqlScript<void> {
  yield* run(LOCK_SQL);
}

/** @param account as named by `accountKey` */
function* lockAccount(account: string): SqlScript<void> {
  yield* run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [accountName(account)]);
}

/** A shared lock: compatible with others like it, but not with an exclusive one. */
function* shareAccount(account: string): SqlScript<void> {
  yield* run('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [
    accountName(account),
  ]);
}

function* lockWallets(platform: string, addresses: readonly string[]): SqlScript<void> {
  yield* run(
    `SELECT pg_advisory_xact_lock(key) FROM (
       SELECT DISTINCT hashtextextended(name, 0) AS key FROM unnest($1::text[]) AS name ORDER BY key
     ) AS wallet`,
    [addresses.map((address) => `fathom wallet ${platform} ${address}`)],
  );
}

function accountName(account: string): string {
  return `fathom account ${account}`;
}
