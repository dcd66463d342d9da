import pg from 'pg';
import { RetryableError, UserError } from '#base';
import { within, withinAwake } from '#base/waiting';
import { applySettings, clientConfig, databaseName } from './database.ts';
import { MORE_TRIES, translateError, WatchedWait } from './errors.ts';

/** Startup and CLI commands can wait; serverless databases take seconds to wake up. */
const CONNECT_MS = 10_000;
/** How long a server has to close the connection gracefully. */
const FAREWELL_MS = 1_000;

interface ConnectionLimits {
  /** Query timeout, the only thing that detects a frozen server. 0 for none. */
  readonly answerMs: number;
  /** Connect timeout, 10 s by default. */
  readonly connectMs?: number;
  /** Settings of the server for this connection, name and value. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A dedicated connection, for what can't share the pool's. The pool's deadlines don't apply. */
export interface DedicatedConnection {
  readonly client: pg.Client;
  /** Rows as objects. Throws RetryableError if there is no answer. */
  rows(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Never fails and never hangs. The server rolls back whatever is in progress. */
  close(): Promise<void>;
}

/**
 * @param verify called before anything is set
 * @throws RetryableError if the server is unavailable; UserError `wrong-configuration`
 */
export async function connect(
  url: string,
  limits: ConnectionLimits,
  verify?: (connection: DedicatedConnection) => Promise<void>,
): Promise<DedicatedConnection> {
  const { answerMs, settings } = limits;
  const connection = await connectBare(url, limits);
  try {
    await verify?.(connection);
    await applySettings(connection.client, { statement_timeout: String(answerMs), ...settings });
  } catch (error) {
    void connection.close();
    throw translateError(error, databaseName(url));
  }
  return connection;
}

/**
 * Without any settings, not even the schema: a pooler could leak them.
 * @throws like `connect`
 */
async function connectBare(
  url: string,
  { answerMs, connectMs = CONNECT_MS }: Omit<ConnectionLimits, 'settings'>,
  tries = MORE_TRIES,
): Promise<DedicatedConnection> {
  const name = databaseName(url);
  const client = newClient(
    {
      ...clientConfig(url, connectMs),
      // The server's own limit, if set, fires first: its error is more specific.
      ...(answerMs > 0 && { query_timeout: answerMs + 500 }),
    },
    name,
  );
  // Without a listener, a broken connection would end the process; its user gets the error, too.
  client.on('error', () => {});
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    const wait = new WatchedWait();
    try {
      return await work();
    } catch (error) {
      throw translateError(wait.explain(error, name), name);
    }
  };
  async function close(): Promise<void> {
    const ended = client.end().catch(() => {});
    await within(ended, FAREWELL_MS);
  }
  const wait = new WatchedWait();
  try {
    await client.connect();
  } catch (error) {
    void close();
    if (tries > 0 && wait.mayTryAgain(error)) {
      return await connectBare(url, { answerMs, connectMs }, tries - 1);
    }
    throw translateError(wait.explain(error, name), name);
  }
  return {
    client,
    rows: async (sql, values = []) =>
      (await explained(() => client.query(sql, [...values]))).rows as Record<string, unknown>[],
    close,
  };
}

/** It reads the files that the URL names. */
function newClient(config: pg.ClientConfig, name: string): pg.Client {
  try {
    return new pg.Client(config);
  } catch (error) {
    throw translateError(error, name);
  }
}

const SESSION_LIMITS = { answerMs: 5_000 };
const PROCESS_SQL = 'SELECT pg_backend_pid() AS process';

/**
 * Connects, and verifies that the connection is bound to one server session. A pooler that assigns
 * a session per transaction (PgBouncer's transaction mode, the "pooled" address of many hosting
 * services) loses locks, settings and notifications in between, and leaks them to others; so we set
 * nothing while checking.
 * @throws UserError `wrong-configuration`; RetryableError if the server is unavailable
 */
export function connectSession(
  url: string,
  limits: ConnectionLimits,
): Promise<DedicatedConnection> {
  return connect(url, limits, async (connection) => {
    if (await isSwitched(connection, url, SESSION_LIMITS)) throw pooled(url);
  });
}

/** The error to show if the URL leads to such a pooler. */
export function pooled(url: string): UserError {
  return new UserError(
    'wrong-configuration',
    `${databaseName(url)} is behind a pooler that switches connections between transactions. Use the address of Postgres itself, or of a pooler in session mode.`,
  );
}

/** Whether there is such a pooler. @throws like `connect` */
export async function isPooled(url: string, limits: ConnectionLimits): Promise<boolean> {
  const connection = await connectBare(url, limits);
  try {
    return await isSwitched(connection, url, limits);
  } finally {
    await connection.close();
  }
}

/** Whether another transaction moves a connection to another session of the server. */
async function isSwitched(
  connection: DedicatedConnection,
  url: string,
  limits: ConnectionLimits,
): Promise<boolean> {
  const processOf = async () => {
    // The connection itself may have no deadline.
    const [row] = await withinAwake(connection.rows(PROCESS_SQL), limits.answerMs, () => {
      throw new RetryableError(`${databaseName(url)} isn't responding. Check that it's running.`);
    });
    return row?.process;
  };
  const other = await connectBare(url, limits);
  try {
    const before = await processOf();
    // Such a pooler gives this transaction the session that the previous query used.
    await other.rows('BEGIN');
    const after = await processOf();
    await other.rows('ROLLBACK');
    return before !== after;
  } finally {
    await other.close();
  }
}
