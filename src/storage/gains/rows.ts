import type { MaybePromise } from '#base';
import type { ListEnd, ShownReads } from '#storage/following/lists';
import type { Row } from '#storage/sql/script';

/** Seconds since 1970; `until` isn't included. */
export interface TimeSpan {
  readonly from: number;
  readonly until: number;
}

/**
 * Sums of points by day within a span of time, in steps: rows of `wallet`, `day` (since 1970) and `points`.
 * @throws RetryableError
 */
export interface DaySumRows {
  /** How much a step reads at most. */
  readonly step: DaySumStep;
  /** What ledger rows after one of them gave, up to another one. */
  imported(after: number, to: number, span: TimeSpan, end: ListEnd): MaybePromise<readonly Row[]>;
  /** What the score version gives wallets after one of them, up to another one, by their numbers. */
  scored(after: number, to: number, span: TimeSpan, end: ListEnd): MaybePromise<readonly Row[]>;
  /**
   * The same for wallets whose grants changed after a change, up to another one; a wallet without any within
   * the span comes without a day. `n` is how many of the changes are still there.
   */
  changed(after: number, to: number, span: TimeSpan, end: ListEnd): MaybePromise<readonly Row[]>;
}

interface DaySumStep {
  /** Ledger rows. */
  readonly rows: number;
  /** Wallets, and changes. */
  readonly wallets: number;
}

const SUMS = 'timestamp / 86400 AS day, sum(points) AS points';

const IMPORTED_SQL = `
  SELECT wallet, ${SUMS} FROM activity
  WHERE seq > $1 AND seq <= $2 AND timestamp >= $3 AND timestamp < $4 GROUP BY 1, 2`;

/** What a score version ($1) gives within the span ($4, $5), as of a change ($6). */
const GIVEN = `edition = $1 AND timestamp >= $4 AND timestamp < $5
  AND born <= $6 AND (gone IS NULL OR gone > $6)`;

const SCORED_SQL = `
  SELECT wallet, ${SUMS} FROM scored
  WHERE wallet > $2 AND wallet <= $3 AND ${GIVEN} GROUP BY 1, 2`;

const CHANGED_SQL = `
  SELECT step.wallet, step.n, ${SUMS}
  FROM (
    SELECT DISTINCT wallet,
           (SELECT count(*) FROM scored_change WHERE number > $2 AND number <= $3) AS n
    FROM scored_change WHERE number > $2 AND number <= $3) AS step
  LEFT JOIN scored ON scored.wallet = step.wallet AND ${GIVEN}
  GROUP BY 1, 2, 3`;

export function createDaySumRows({ ask }: ShownReads, step: DaySumStep): DaySumRows {
  return {
    step,
    imported: (after, to, { from, until }, { newest }) =>
      ask(IMPORTED_SQL, [after, to, from, until], newest),
    scored: (after, to, { from, until }, { edition, change, newest }) =>
      ask(SCORED_SQL, [edition, after, to, from, until, change], newest),
    changed: (after, to, { from, until }, { edition, change, newest }) =>
      ask(CHANGED_SQL, [edition, after, to, from, until, change], newest),
  };
}
