import pg from 'pg';
import { messageOf } from '#core/errors';
import type { Logger } from '#core/logger';
import type { Row } from '#stores/sql/script';
import { isConnectionLost, translateError } from './errors.ts';
import { ConnectionPool } from './pool.ts';

/** Everything is in a schema of its own, beside whatever else the database holds. */
export const SCHEMA = 'fathom';

const CONNECT_MS = 2_000;
const ANSWER_MS = 5_000;

/** What can be asked. Integers come as numbers. Throws RetryableError when it can't be had now. */
export interface Queries {
  rows(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The same as arrays in the order of the columns, for there may be too many of them for objects. */
  arrays(sql: string, values?: readonly unknown[]): Promise<(readonly unknown[])[]>;
  /** @returns how many rows it changed */
  run(sql: string, values?: readonly unknown[]): Promise<number>;
}

/** One of `end` and `drop` is to be called when nothing more is asked. */
export interface Snapshot extends Pick<Queries, 'rows' | 'arrays'> {
  end(): Promise<void>;
  /** The same when something is under way, or went wrong: its connection is given up. */
  drop(): void;
}

export interface Database extends Queries {
  /** For people: host and name, without a password. */
  readonly name: string;
  /** All of it is in, or nothing. What `work` throws undoes it. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Begins to look at the database as it is at one moment. @param first a statement without values */
  openSnapshot(first: string): Promise<{ readonly snapshot: Snapshot; readonly first: Row[] }>;
  close(): Promise<void>;
}

/** A frozen server is noticed by the deadlines alone. Somebody waits for what is asked. */
export interface PoolOptions {
  /** For a connection, one of its own too while all are in use; 2 s if not given. */
  readonly connectMs?: number;
  /** 5 s if not given. */
  readonly answerMs?: number;
  /** Told when a question had no answer, before who asked it. */
  readonly onAway?: () => void;
}

/** Opens a pool; nothing is connected before something is asked. */
export function openDatabase(
  url: string,
  log: Logger,
  { connectMs = CONNECT_MS, answerMs = ANSWER_MS, onAway }: PoolOptions = {},
): Database {
  const name = databaseName(url);
  const pool = new ConnectionPool({
    ...clientConfig(url, connectMs),
    query_timeout: answerMs,
    onConnect: (client) =>
      applySettings(client, {
        statement_timeout: String(answerMs),
        idle_in_transaction_session_timeout: String(2 * answerMs),
      }),
  });
  pool.onIdleError((error) =>
    log.debug({ error: messageOf(error) }, 'Postgres: lost an idle connection'),
  );

  async function explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
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
 * How one connection is made, for what needs its own; `applySettings` comes next.
 * @param connectMs the longest that it may take
 */
export function clientConfig(url: string, connectMs: number): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'fathom',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    types: { getTypeParser },
  };
}

/**
 * To be called once a connection is made: Fathom's schema and UTC, and what else its user needs. Not
 * as it is made, for PgBouncer refuses whatever is set then.
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

/** @returns host and name, which may be told to anybody who runs it */
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
    // A connection that can't undo what was begun is of no use to the next one.
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
    // Together they take one round trip; the types know of one result alone.
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

/** @param ask the way to one connection or to any */
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

/** Postgres refuses a NUL in a text, which anybody may send; none of ours means anything. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd');
  return Array.isArray(value) ? value.map(storable) : value;
}

const INT8 = 20;

/** Big integers come as text; ours all fit a number. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
