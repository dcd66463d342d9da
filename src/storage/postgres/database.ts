import pg from 'pg';
import { type Logger, messageOf } from '#base';
import type { Row } from '#storage/sql/script';
import { CONNECTIONS } from './connections.ts';
import {
  errorCodeOf,
  isConnectionLost,
  MORE_TRIES,
  TOO_MANY_CONNECTIONS,
  translateError,
  WatchedWait,
} from './errors.ts';

/** Everything lives in a schema of its own, beside whatever else the database holds. */
export const SCHEMA = 'fathom';

const CONNECT_MS = 2_000;
const ANSWER_MS = 5_000;

/**
 * Queries. Integers are returned as numbers. Throws RetryableError if the database is unavailable.
 */
export interface Queries {
  rows(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The same as arrays in column order, for results with too many rows for objects. */
  arrays(sql: string, values?: readonly unknown[]): Promise<(readonly unknown[])[]>;
  /** @returns the number of rows it changed */
  run(sql: string, values?: readonly unknown[]): Promise<number>;
}

/** Call either `end` or `drop` when done. */
export interface Snapshot extends Pick<Queries, 'rows' | 'arrays'> {
  end(): Promise<void>;
  /** Like `end`, if a query is in progress or failed: drops the connection. */
  drop(): void;
}

export interface Database extends Queries {
  /** Human-readable: host and name, without a password. */
  readonly name: string;
  /** Commits all of it or nothing. Rolls back if `work` throws. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Opens a snapshot of the database as of one moment. @param first a statement without values */
  openSnapshot(first: string): Promise<{ readonly snapshot: Snapshot; readonly first: Row[] }>;
  close(): Promise<void>;
}

/** Only these deadlines detect a frozen server. Callers wait for each query. */
export interface PoolOptions {
  /** The most at once; those for a replica's queries by default. */
  readonly connections?: number | undefined;
  /** To connect, and to wait for a connection while all are in use; 2 s by default. */
  readonly connectMs?: number;
  /** 5 s by default. */
  readonly answerMs?: number;
  /** Called when a query had no answer, before its caller learns of it. */
  readonly onAway?: () => void;
}

/** Creates a pool; connects on the first query. */
export function openDatabase(url: string, log: Logger, options: PoolOptions = {}): Database {
  const { connectMs = CONNECT_MS, answerMs = ANSWER_MS, onAway } = options;
  const name = databaseName(url);
  const config: pg.PoolConfig = {
    ...clientConfig(url, connectMs),
    query_timeout: answerMs,
    onConnect: (client) =>
      applySettings(client, {
        statement_timeout: String(answerMs),
        idle_in_transaction_session_timeout: String(2 * answerMs),
      }),
  };
  const pool = new ConnectionPool(config, options.connections ?? CONNECTIONS.queries);
  pool.onIdleError((error) =>
    log.debug({ error: messageOf(error) }, 'Postgres: lost an idle connection'),
  );

  async function explained<T>(work: () => Promise<T>): Promise<T> {
    const wait = new WatchedWait();
    try {
      return await work();
    } catch (thrown) {
      const error = wait.explain(thrown, name);
      if (isConnectionLost(error)) onAway?.();
      throw translateError(error, name);
    }
  }

  return {
    name,
    ...queriesOn((query) => explained(() => pool.query(query))),
    transaction: (work) => explained(() => inTransaction(pool, work)),
    openSnapshot: (first) => explained(() => openSnapshot(pool, first, explained)),
    close: () => pool.end(),
  };
}

/**
 * Options of one connection, for code that needs its own; call `applySettings` next.
 * @param connectMs connect timeout
 */
export function clientConfig(url: string, connectMs: number): pg.ClientConfig {
  return {
    connectionString: withExactMode(url),
    application_name: 'fathom',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    types: { getTypeParser },
  };
}

/** pg takes these modes for `verify-full`, with a warning on standard error; libpq's own meaning can be asked for. */
function withExactMode(url: string): string {
  if (/[?&]uselibpqcompat=/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|#|$)/, '$1verify-full');
}

/**
 * Call it once a connection is open: sets Fathom's schema, UTC and the caller's settings. Not at
 * connection startup, because PgBouncer rejects any settings there.
 * @param settings of the server for this connection, name and value
 */
export async function applySettings(
  client: pg.ClientBase,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const all = { search_path: SCHEMA, timezone: 'UTC', ...settings };
  await client.query(
    'SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS s (name, value)',
    [Object.keys(all), Object.values(all)],
  );
}

/** @returns host and name, safe to show to the operator */
export function databaseName(url: string): string {
  const { hostname = '', port = '', pathname = '' } = URL.parse(url) ?? {};
  return `The database ${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
}

async function inTransaction<T>(
  pool: ConnectionPool,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let fault: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(queriesOn((query) => client.query(query)));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // Don't reuse a connection that can't roll back.
    fault = await client.query('ROLLBACK').then(
      () => undefined,
      (gone: Error) => gone,
    );
    throw error;
  } finally {
    client.release(fault);
  }
}

async function openSnapshot(
  pool: ConnectionPool,
  first: string,
  explained: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<{ readonly snapshot: Snapshot; readonly first: Row[] }> {
  const client = await pool.connect();
  const queries = queriesOn((query) => explained(() => client.query(query)));
  try {
    // Together they take one round trip; the types only know a single result.
    const results: unknown = await client.query(
      `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${first}`,
    );
    const [, result] = results as pg.QueryResult<Row>[];
    const snapshot: Snapshot = {
      rows: queries.rows,
      arrays: queries.arrays,
      async end() {
        let isOver = false;
        try {
          await queries.run('COMMIT');
          isOver = true;
        } finally {
          client.release(!isOver);
        }
      },
      drop: () => client.release(true),
    };
    return { snapshot, first: result?.rows ?? [] };
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** @param ask runs a query on one connection or on any */
function queriesOn(ask: (query: pg.QueryConfig) => Promise<pg.QueryResult>): Queries {
  const withValues = (text: string, values: readonly unknown[] = []) => ({
    text,
    values: values.map(storable),
  });
  return {
    rows: async (sql, values) => (await ask(withValues(sql, values))).rows as Row[],
    run: async (sql, values) => (await ask(withValues(sql, values))).rowCount ?? 0,
    async arrays(sql, values) {
      const query: pg.QueryArrayConfig = { ...withValues(sql, values), rowMode: 'array' };
      return (await ask(query)).rows as unknown[][];
    },
  };
}

/** Postgres rejects NUL in a text, which anyone may send; it has no meaning in ours. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd');
  return Array.isArray(value) ? value.map(storable) : value;
}

const INT8 = 20;

/** pg returns big integers as text; all of ours fit a number. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}

const IDLE_MS = 30_000;
/** How long a pool opens no connections after the server ran out of them. */
const CROWDED_MS = 1_000;

/** pg-pool's message when no connection became free within `connectionTimeoutMillis`. */
const QUEUED_IN_VAIN = 'timeout exceeded when trying to connect';

/**
 * A pool that makes do with its connections when the server has none left: instead of failing, a
 * query waits for one of them, as it does when all are in use. After a second the pool tries to
 * grow again.
 */
class ConnectionPool {
  readonly #pool: pg.Pool;
  readonly #most: number;
  #established = 0;
  readonly #waitMs: number;
  /** While it opens no connections: why, and until when. */
  #crowded: { readonly error: unknown; readonly timer: NodeJS.Timeout } | undefined;

  /**
   * @param config its `connectionTimeoutMillis` also limits the wait for a connection in use
   * @param most connections; further queries wait for one of these
   */
  constructor(config: pg.PoolConfig, most: number) {
    this.#most = most;
    this.#waitMs = config.connectionTimeoutMillis ?? 0;
    this.#pool = new pg.Pool({ ...config, max: most, idleTimeoutMillis: IDLE_MS });
    this.#pool.on('connect', (client) => {
      this.#established += 1;
      // Without a listener, a connection that breaks in use would end the process; its user gets
      // the error, too.
      client.on('error', () => {});
    });
    this.#pool.on('remove', () => {
      this.#established -= 1;
    });
  }

  /** @param tell called for idle connections that break */
  onIdleError(tell: (error: Error) => void): void {
    this.#pool.on('error', tell);
  }

  query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.#patiently(() => this.#pool.query(query));
  }

  connect(): Promise<pg.PoolClient> {
    return this.#patiently(() => this.#pool.connect());
  }

  end(): Promise<void> {
    clearTimeout(this.#crowded?.timer);
    return this.#pool.end();
  }

  /** @param work what needs a connection first; retried if there was none */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#waitMs;
    for (let tries = MORE_TRIES; ; ) {
      const wait = new WatchedWait();
      try {
        return await work();
      } catch (error) {
        if (tries > 0 && wait.mayTryAgain(error)) {
          tries -= 1;
          continue;
        }
        if (errorCodeOf(error) === TOO_MANY_CONNECTIONS && this.#established > 0) {
          this.#keepToEstablished(error);
          if (performance.now() < until) continue;
        }
        // The timeout isn't the server's answer: the server said that it has no connections left.
        const isQueued = error instanceof Error && error.message === QUEUED_IN_VAIN;
        throw isQueued && this.#crowded !== undefined ? this.#crowded.error : error;
      }
    }
  }

  #keepToEstablished(error: unknown): void {
    clearTimeout(this.#crowded?.timer);
    this.#pool.options.max = Math.max(1, this.#established);
    const timer = setTimeout(() => this.#grow(), CROWDED_MS).unref();
    this.#crowded = { error, timer };
  }

  #grow(): void {
    this.#pool.options.max = this.#most;
    if (this.#pool.waitingCount === 0) {
      this.#crowded = undefined;
      return;
    }
    // Otherwise nothing would serve the waiting queries before a connection is released.
    this.#pool.connect().then(
      (client) => {
        this.#crowded = undefined;
        client.release();
      },
      (error: unknown) => this.#keepToEstablished(error),
    );
  }
}

/** Rows per statement: few enough to finish well before its timeout. */
const AT_ONCE = 5_000;

/** Splits a list into chunks, each for its own statement within one transaction. */
export function* chunksOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    yield items.slice(start, start + AT_ONCE);
  }
}

/**
 * The values of a list by column, for `unnest`: a statement may have at most 65,535 parameters, but
 * a parameter may be a long list.
 */
export function unnestColumns<T>(
  items: readonly T[],
  ...columns: readonly ((item: T) => unknown)[]
): unknown[][] {
  return columns.map((column) => items.map(column));
}
