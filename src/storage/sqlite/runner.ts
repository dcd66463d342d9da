import type { DatabaseSync } from 'node:sqlite';
import {
  type Dialect,
  firstRow,
  run,
  runAll,
  type SqlRunner,
  type SqlScript,
  type Statement,
  type StatementResult,
} from '#storage/sql/script';
import { preparing, storable, transaction } from './database.ts';
import { translatingErrors } from './file/errors.ts';

const ADD_BATCH_SQL = `
  INSERT INTO batch (id, last_seq, committed_at, changes)
  VALUES ((SELECT coalesce(max(id), 0) + 1 FROM batch),
          (SELECT coalesce(max(seq), 0) FROM activity), $1,
          $2 + coalesce((SELECT changes FROM batch ORDER BY id DESC LIMIT 1), 0))
  RETURNING id, changes`;

/** One process writes, one transaction at a time: there is nothing to lock or to skip. */
const DIALECT: Dialect = {
  isIn: (column, list) => `${column} IN (SELECT value FROM json_each(${list}))`,
  indexedBy: (index) => `INDEXED BY ${index}`,
  nextNumber: (table, column) => `(SELECT max(${column}) + 1 FROM ${table})`,
  // A prepared statement run for each row is faster than one that unpacks a list.
  *insert({ sql }, rows) {
    const [values = [], ...others] = rows;
    if (others.length === 0 && rows.length > 0) return yield* run(sql.sqlite, values);
    return (yield { wants: 'changes', sql: sql.sqlite, values: [], each: rows }).changes ?? 0;
  },
  elements: (list) => `json_each(${list})`,
  forUpdate: '',
  forKeyShare: '',
  skipLocked: '',
  lockLedger: () => runAll([]),
  *addBatchRow(at, changes) {
    const row = yield* firstRow(ADD_BATCH_SQL, [at, changes]);
    return { number: Number(row?.id), changes: Number(row?.changes) };
  },
  lockAccount: () => runAll([]),
  shareAccount: () => runAll([]),
  lockWallets: () => runAll([]),
};

/**
 * Runs scripts synchronously. Prepares each statement on first use; there are only as many as in
 * the code.
 */
export function createSqliteRunner(db: DatabaseSync, file: string): SqlRunner {
  const prepare = preparing(db);

  function execute(statement: Statement): StatementResult {
    const ready = prepare(statement.sql, statement.wants);
    if (statement.each !== undefined) {
      let changes = 0;
      for (const values of statement.each)
        changes += Number(ready.run(...values.map(storable)).changes);
      return { changes };
    }
    const values = statement.values.map(storable);
    if (statement.wants === 'changes') {
      const change = () => Number(ready.run(...values).changes);
      return { changes: db.isTransaction ? change() : transaction(db, change) };
    }
    const found: unknown[] = ready.all(...values);
    return { [statement.wants]: found };
  }

  function drive<T>(script: () => SqlScript<T>): T {
    const steps = script();
    let step = steps.next();
    while (!step.done) step = steps.next(execute(step.value));
    return step.value;
  }

  return {
    dialect: DIALECT,
    query: (script) => translatingErrors(file, () => drive(script)),
    transact: (script) => translatingErrors(file, () => transaction(db, () => drive(script))),
    changeUnlessDuplicate: (sql, values) =>
      translatingErrors(file, () =>
        drive(() => run(sql.replace(/^UPDATE/, 'UPDATE OR IGNORE'), values)),
      ) > 0,
    // Nobody writes between statements that run without awaiting.
    snapshot: (script) => translatingErrors(file, () => drive(script)),
  };
}
