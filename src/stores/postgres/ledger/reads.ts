import { messageOf, RetryableError } from '#core/errors';
import type { Logger } from '#core/logger';
import type { Database, Row } from '#stores/postgres/database';
import { withinMs } from '#stores/postgres/deadline';
import type { BatchName } from './position.ts';

/** How long a copy may take before the primary is asked instead. */
const COPY_MS = 1_000;
/** How long a copy that gave no answer is left alone. */
const COPY_REST_MS = 2_000;

/** Questions that a copy of the database may answer as well, if it has what is asked about. */
export interface Reads {
  /**
   * @param since a batch that must be there already
   * @throws RetryableError when nobody answers now, and when the batch isn't there any more
   */
  ask(sql: string, values: readonly unknown[], since: BatchName): Promise<Row[]>;
}

/** @param onLost called when the primary hasn't got a batch that was there */
export function createReads(
  primary: Database,
  copy: Database | undefined,
  onLost: () => void,
  log: Logger,
): Reads {
  let restUntil = 0;
  let isAway = false;

  /** Undefined when the copy can't tell: it is away, or behind, or none. */
  async function askCopy(
    sql: string,
    values: readonly unknown[],
    since: BatchName,
  ): Promise<Row[] | undefined> {
    if (copy === undefined || performance.now() < restUntil) return undefined;
    try {
      const rows = await withinMs(COPY_MS, 'it takes too long', askOne(copy, sql, values, since));
      if (isAway) log.info({}, 'the read copy of the database answers again');
      isAway = false;
      return rows;
    } catch (error) {
      restUntil = performance.now() + COPY_REST_MS;
      if (!isAway) {
        log.warn(
          { error: messageOf(error) },
          'the read copy of the database gives no answer; the primary is asked instead',
        );
      }
      isAway = true;
      return undefined;
    }
  }

  return {
    async ask(sql, values, since) {
      const rows =
        (await askCopy(sql, values, since)) ?? (await askOne(primary, sql, values, since));
      if (rows !== undefined) return rows;
      onLost();
      throw new RetryableError('The data has just been replaced. Ask again.', { retryAfter: 1 });
    },
  };
}

/** @returns undefined when the database hasn't got the batch, as one statement sees it */
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
