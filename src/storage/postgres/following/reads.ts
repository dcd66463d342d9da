import { type Logger, messageOf, ProblemLog, RetryableError } from '#base';
import { withinAwake } from '#base/waiting';
import { createChangeRows } from '#storage/changes/feed';
import { type ChainEventRows, createExplanationRows } from '#storage/following/explanation-rows';
import { headOf, headSql, type RunQuery } from '#storage/following/ledger-queries';
import { createLists, type LongLists, NEWEST, newestOfBoth } from '#storage/following/lists';
import type { BatchName } from '#storage/following/position';
import type { LedgerHead } from '#storage/following/snapshot';
import type { ShownRows } from '#storage/following/source';
import { createDaySumRows } from '#storage/gains/rows';
import { createGrowthRows } from '#storage/growth';
import { type Database, type Snapshot, unnestColumns } from '#storage/postgres/database';
import { PACKING } from '#storage/postgres/packing';
import type { Row } from '#storage/sql/script';
import { BUSY_ABOVE } from '#storage/tables/ledger';

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
  return withinAwake(answer, COPY_MS, () => {
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

/** Growth is counted in steps: parsing one takes about a millisecond. */
const GROWTH_STEP = { packing: PACKING, rows: 10_000, wallets: 2_000 };
const DAY_SUM_STEP = { rows: 10_000, wallets: 1_000 };

/** What is shown and isn't in memory, from Postgres. */
export function openRows(reads: Reads): ShownRows {
  return {
    lists: createLists(reads, activitiesIn(reads)),
    explanations: createExplanationRows(reads, chainEventsIn(reads)),
    changes: createChangeRows(reads),
    growth: createGrowthRows(reads, GROWTH_STEP),
    daySums: createDaySumRows(reads, DAY_SUM_STEP),
  };
}

// Not by the key on seq, which would scan most of the ledger.
const NEWEST_SQL = `
  SELECT id, type, description, points, timestamp, false AS is_scored FROM activity
  WHERE wallet = $1 AND seq + 0 <= $2 AND timestamp <= $4 AND (timestamp < $4 OR id > $5)
  ORDER BY timestamp DESC, id LIMIT $3`;

const NEWEST_OF_BUSY_SQL = `
  SELECT id, type, description, points, activity.timestamp, false AS is_scored
  FROM busy_activity AS busy JOIN activity ON activity.seq = busy.seq
  WHERE busy.wallet = $1 AND busy.seq <= $2
    AND busy.timestamp <= $4 AND (busy.timestamp < $4 OR id > $5)
  ORDER BY busy.timestamp DESC, id LIMIT $3`;

const SCORED_SQL = `
  SELECT id, type, description, points, timestamp, true AS is_scored FROM scored
  WHERE edition = $6 AND wallet = $1 AND born <= $7 AND (gone IS NULL OR gone > $7)
    AND timestamp <= $4 AND (timestamp < $4 OR id > $5)
  ORDER BY timestamp DESC, id LIMIT $3`;

// What rules granted counts too, but isn't in `busy_activity`.
const NEWEST_IF_NOT_BUSY_SQL = `
  SELECT * FROM (${NEWEST_SQL}) AS newest
  WHERE NOT EXISTS (SELECT FROM busy_activity WHERE wallet = $1)`;

const FEW_SQL = `(${NEWEST_SQL}) UNION ALL (${SCORED_SQL})`;
const MANY_SQL = `
  (${NEWEST_OF_BUSY_SQL}) UNION ALL (${NEWEST_IF_NOT_BUSY_SQL}) UNION ALL (${SCORED_SQL})`;

function activitiesIn(reads: Reads): LongLists['activities'] {
  return async (
    wallet,
    count,
    limit,
    { seq, newest, edition, change },
    { timestamp, id } = NEWEST,
  ) => {
    const isMany = count > BUSY_ABOVE;
    if (edition === 0) {
      const sql = isMany ? NEWEST_OF_BUSY_SQL : NEWEST_SQL;
      return reads.ask(sql, [wallet, seq, limit, timestamp, id], newest);
    }
    const values = [wallet, seq, limit, timestamp, id, edition, change];
    const rows = await reads.ask(isMany ? MANY_SQL : FEW_SQL, values, newest);
    const { imported = [], scored = [] } = Object.groupBy(rows, ({ is_scored: isScored }) =>
      isScored === true ? 'scored' : 'imported',
    );
    return newestOfBoth(imported, scored, limit);
  };
}

const ORIGINS_SQL = `
  SELECT DISTINCT scored.id, scored.origin
  FROM unnest($3::bigint[], $4::text[]) AS asked (timestamp, id)
  JOIN scored ON scored.edition = $1 AND scored.wallet = $2
    AND scored.timestamp = asked.timestamp AND scored.id = asked.id`;

const EVIDENCE_SQL = `
  SELECT part.source, part.chain, input.name, evidence.place, evidence.args,
         evidence.transaction_id
  FROM unnest($2::text[], $3::text[]) AS asked (source, place)
  JOIN evidence_source AS part ON part.source = asked.source
  JOIN evidence_input AS input ON input.source = part.source
  JOIN evidence
    ON evidence.wallet = $1 AND evidence.input = input.number AND evidence.place = asked.place
  WHERE part.chain IS NOT NULL AND evidence.transaction_id IS NOT NULL`;

function chainEventsIn(reads: Reads): ChainEventRows {
  return {
    origins(wallet, activities, { edition, newest }) {
      const [timestamps, ids] = unnestColumns(
        activities,
        ({ timestamp }) => timestamp,
        ({ id }) => id,
      );
      return reads.ask(ORIGINS_SQL, [edition, wallet, timestamps, ids], newest);
    },
    evidence(wallet, places, { newest }) {
      const [sources, texts] = unnestColumns(
        places,
        ({ source }) => source,
        ({ place }) => place,
      );
      return reads.ask(EVIDENCE_SQL, [wallet, sources, texts], newest);
    },
  };
}
