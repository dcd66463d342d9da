import type { DatabaseSync } from 'node:sqlite';
import { type MaybePromise, mapMaybe } from '#base';
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
import { preparing, storable } from './database.ts';
import { translatingErrors } from './file/errors.ts';
import { inTurn } from './write-turns.ts';

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
 * Runs scripts synchronously, but for writes while another process writes: those wait without
 * holding up the thread. Prepares each statement on first use; there are only as many as in the
 * code.
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
    if (statement.wants === 'changes') return { changes: Number(ready.run(...values).changes) };
    const found: unknown[] = ready.all(...values);
    return { [statement.wants]: found };
  }

  function drive<T>(script: () => SqlScript<T>): T {
    const steps = script();
    let step = steps.next();
    while (!step.done) step = steps.next(execute(step.value));
    return step.value;
  }

  /** Each write of it is a transaction of its own, unless one is under way. */
  function query<T>(script: () => SqlScript<T>): MaybePromise<T> {
    const steps = script();
    const from = (step: IteratorResult<Statement, T>): MaybePromise<T> => {
      let at = step;
      while (!at.done) {
        const { value } = at;
        const isWrite = value.wants === 'changes' && !db.isTransaction;
        const result = isWrite ? inTurn(db, file, () => execute(value)) : execute(value);
        if (result instanceof Promise) {
          return result.then((later) => translatingErrors(file, () => from(steps.next(later))));
        }
        at = steps.next(result);
      }
      return at.value;
    };
    return translatingErrors(file, () => from(steps.next()));
  }

  return {
    dialect: DIALECT,
    query,
    transact: (script) => inTurn(db, file, () => drive(script)),
    changeUnlessDuplicate: (sql, values) =>
      mapMaybe(
        query(() => run(sql.replace(/^UPDATE/, 'UPDATE OR IGNORE'), values)),
        (changes) => changes > 0,
      ),
    // Nobody writes between statements that run without awaiting.
    snapshot: (script) => translatingErrors(file, () => drive(script)),
  };
}
