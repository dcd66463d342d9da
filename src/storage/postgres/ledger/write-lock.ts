import { setTimeout as delay } from 'node:timers/promises';
import { formatTime, type Logger, messageOf, RetryableError } from '#base';
import type { DedicatedConnection } from '#storage/postgres/connection';
import type { Database } from '#storage/postgres/database';
import { errorCodeOf } from '#storage/postgres/errors';

/** The write lock of the ledger: an advisory lock held until its transaction ends. */

/** How often the holder is checked. */
const CHECK_MS = 1_000;
/** Shorter waits aren't reported. */
const WARN_MS = 5_000;
/** A frozen holder (Ctrl-Z, a paused machine) would keep its connection, and the lock, forever. */
const LIFELESS_MS = 60_000;

const LOCK_NOT_AVAILABLE = '55P03';
const KEY = `hashtextextended('fathom ledger', 0)`;

/** For tests. */
export interface WriteTurnTimes {
  readonly checkMs?: number;
  readonly warnMs?: number;
  readonly lifelessMs?: number;
}

interface WriteTurnOptions extends WriteTurnTimes {
  /** Checks the holder meanwhile. */
  readonly db: Database;
  readonly log: Logger;
}

/**
 * The lock's holder: see https://www.postgresql.org/docs/current/view-pg-locks.html on the numbers.
 */
const HOLDER_SQL = `
  SELECT pid, application_name AS name, host(client_addr) AS host,
         floor(extract(epoch FROM xact_start)) AS since,
         concat_ws(' ', pid, backend_start, query_start, state_change, (
           SELECT string_agg(bytes_processed::text, ' ') FROM pg_stat_progress_copy AS copy
           WHERE copy.pid = activity.pid
         )) AS sign,
         coalesce(wait_event_type = 'Client', false) AS waits_for_client
  FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid::bigint = (${KEY} >> 32) & 4294967295 AND objid::bigint = ${KEY} & 4294967295`;

/** Waits for the lock as long as the connection's `lock_timeout`. */
export async function lockLedger({ client }: DedicatedConnection): Promise<void> {
  await client.query(LOCK_SQL);
}

/** Waits for the lock, which is held until the transaction ends. */
export const LOCK_SQL = `SELECT pg_advisory_xact_lock(${KEY})`;

/**
 * The same, while watching the holder: reports who it is, and terminates its connection if it shows
 * no sign of life for a minute. Its server rolls back what it had begun, so when it wakes, it can't
 * commit without waiting for the lock again.
 * @throws RetryableError that names the holder, if it took too long
 */
export async function waitForWriteLock(
  connection: DedicatedConnection,
  options: WriteTurnOptions,
): Promise<void> {
  const stopping = new AbortController();
  const watch = new Watch(options);
  const watching = watch.until(stopping.signal);
  try {
    await lockLedger(connection);
  } catch (error) {
    if (errorCodeOf(error) !== LOCK_NOT_AVAILABLE || watch.holder === undefined) throw error;
    throw new RetryableError(
      `${watch.holder} is writing to ${options.db.name}. Wait until it's done, or stop it.`,
      { cause: error },
    );
  } finally {
    stopping.abort();
    await watching;
  }
}

class Watch {
  /** The holder and since when, human-readable. */
  holder: string | undefined;
  readonly #options: WriteTurnOptions;
  readonly #signs: HolderLiveness;
  #warnedOf: unknown;

  constructor(options: WriteTurnOptions) {
    this.#options = options;
    this.#signs = new HolderLiveness(options.lifelessMs ?? LIFELESS_MS);
  }

  /** Never fails: if the check fails, the wait goes on. */
  async until(signal: AbortSignal): Promise<void> {
    const { checkMs = CHECK_MS, warnMs = WARN_MS, log } = this.#options;
    const begun = performance.now();
    for (;;) {
      try {
        await delay(checkMs, undefined, { signal });
        await this.#checkHolder(performance.now() - begun >= warnMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.debug({ error: messageOf(error) }, 'could not find out who is writing to the ledger');
      }
    }
  }

  async #checkHolder(isLong: boolean, signal: AbortSignal): Promise<void> {
    const { db, log } = this.#options;
    const [row] = await db.rows(HOLDER_SQL);
    if (row === undefined || signal.aborted) return;
    this.holder = `${row.name || 'a program'} at ${row.host ?? 'the server itself'}, since ${formatTime(Number(row.since))}`;
    if (isLong && this.#warnedOf !== row.pid) {
      this.#warnedOf = row.pid;
      log.warn({}, `${db.name} is in use: waiting for ${this.holder}, which is writing to it.`);
    }
    const sample: Sample = {
      sign: String(row.sign),
      waitsForClient: row.waits_for_client === true,
    };
    if (!this.#signs.isLifeless(sample, performance.now())) return;
    // Only if it is still the very same one.
    const ended = await db.rows(
      `SELECT pg_terminate_backend(pid) FROM (${HOLDER_SQL}) AS holder WHERE sign = $1 AND waits_for_client`,
      [row.sign],
    );
    if (ended.length === 0) return;
    log.warn(
      {},
      `${this.holder}, has shown no sign of life for ${this.#signs.limitText}. Its turn was revoked; if it continues, it waits for another.`,
    );
  }
}

/** One observation of a program's connection. */
interface Sample {
  /** Changes with everything that the program does. */
  readonly sign: string;
  /**
   * Whether the server waits for the program; while the server works for it, the program is alive.
   */
  readonly waitsForClient: boolean;
}

/** Distinguishes a frozen program from a slow one by repeated observation. */
export class HolderLiveness {
  readonly #limitMs: number;
  #sign: string | undefined;
  #since = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get limitText(): string {
    return `${Math.round(this.#limitMs / 1000)} s`;
  }

  /**
   * @param now milliseconds of a monotonic clock
   * @returns whether all observations for that long were the same
   */
  isLifeless({ sign, waitsForClient }: Sample, now: number): boolean {
    if (!waitsForClient || sign !== this.#sign) {
      this.#sign = waitsForClient ? sign : undefined;
      this.#since = now;
    }
    return this.#sign !== undefined && now - this.#since >= this.#limitMs;
  }
}
