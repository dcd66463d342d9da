import { type Logger, messageOf, ProblemLog, RetryableError } from '#base';
import { within } from '#base/waiting';
import type { BatchName } from '#storage/following/position';
import type { LedgerHead } from '#storage/following/snapshot';
import type { Database, Snapshot } from '#storage/postgres/database';
import type { Row } from '#storage/sql/script';
import { headOf, headSql, type RunQuery } from './snapshot.ts';

/** How long a read replica may take before the primary is queried instead. */
const COPY_MS = 1_000;
/** How long a replica that didn't answer isn't queried. */
const COPY_REST_MS = 2_000;
const TOO_LONG = 'it takes too long';

/** Queries that a read replica may answer too, if it is up to date enough. */
export interface Reads {
  /**
   * @param since a batch that must exist there
   * @throws RetryableError if nobody answers, or if the batch no longer exists
   */
  ask(sql: string, values: readonly unknown[], since: BatchName): Promise<Row[]>;
  /**
   * Runs several queries on one snapshot of the database.
   * @param since a batch that must exist there
   * @throws RetryableError like `ask`; whatever `work` throws
   */
  inSnapshot(
    since: BatchName,
    work: (ask: RunQuery, head: LedgerHead) => Promise<void>,
  ): Promise<void>;
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  return within(answer, COPY_MS, () => {
    throw new RetryableError(TOO_LONG);
  });
}

/** @param onLost called if the primary lacks a batch that existed */
export function createReads(
  primary: Database,
  copy: Database | undefined,
  onLost: () => void,
  log: Logger,
): Reads {
  let restUntil = 0;
  const trouble = new ProblemLog(log);

  /** @returns undefined if the replica can't tell: it is down, behind, or not configured */
  async function atCopy<T>(work: (copy: Database) => Promise<T>): Promise<T | undefined> {
    if (copy === undefined || performance.now() < restUntil) return undefined;
    try {
      const result = await inTime(work(copy));
      trouble.resolve('the read replica is available again');
      return result;
    } catch (error) {
      rest(error);
      return undefined;
    }
  }

  function rest(error: unknown): void {
    restUntil = performance.now() + COPY_REST_MS;
    const message = "the read replica isn't responding; reading from the primary";
    trouble.report('away', 'warn', { error: messageOf(error) }, message);
  }

  function lost(): RetryableError {
    onLost();
    return new RetryableError('The data has just been replaced. Try again.', { retryAfter: 1 });
  }

  return {
    async ask(sql, values, since) {
      const rows =
        (await atCopy((db) => askOne(db, sql, values, since))) ??
        (await askOne(primary, sql, values, since));
      if (rows === undefined) throw lost();
      return rows;
    },
    async inSnapshot(since, work) {
      let isLate = false;
      const there = await atCopy(async (db) => {
        const found = await openAt(db, since);
        if (isLate) found?.snapshot.drop();
        return found;
      });
      isLate = true;
      const opened = there ?? (await openAt(primary, since));
      if (opened === undefined) throw lost();
      const { snapshot, head } = opened;
      const ask: RunQuery =
        there === undefined ? snapshot.rows : (sql, values) => inTime(snapshot.rows(sql, values));
      try {
        await work(ask, head);
      } catch (error) {
        snapshot.drop();
        if (there !== undefined && error instanceof RetryableError) rest(error);
        throw error;
      }
      await snapshot.end();
    },
  };
}

interface OpenSnapshot {
  readonly snapshot: Snapshot;
  readonly head: LedgerHead;
}

/** @returns undefined if the database lacks the batch */
async function openAt(db: Database, since: BatchName): Promise<OpenSnapshot | undefined> {
  const { snapshot, first } = await db.openSnapshot(headSql(since));
  const [row] = first;
  if (row !== undefined && row.known_uid === since.uid) return { snapshot, head: headOf(row) };
  await snapshot.end();
  return undefined;
}

/** @returns undefined if the database lacks the batch, in the same statement */
async function askOne(
  db: Database,
  sql: string,
  values: readonly unknown[],
  { id, uid }: BatchName,
): Promise<Row[] | undefined> {
  if (id === 0) return db.rows(sql, values);
  const rows = await db.rows(
    `SELECT list.*, seen.uid AS seen_uid
     FROM (SELECT (SELECT uid FROM batch WHERE id = $${values.length + 1}) AS uid) AS seen
     LEFT JOIN (SELECT true AS is_row, each.* FROM (${sql}) AS each) AS list ON true`,
    [...values, id],
  );
  if (rows[0]?.seen_uid !== uid) return undefined;
  return rows.filter((row) => row.is_row === true);
}
