import pg from 'pg';
import { within } from '#base/waiting';
import { applySettings, clientConfig, databaseName } from '#storage/postgres/database';
import { translateError } from '#storage/postgres/errors';

/** Startup and CLI commands can wait; serverless databases take seconds to wake up. */
const CONNECT_MS = 10_000;
/** How long a server has to close the connection gracefully. */
const FAREWELL_MS = 1_000;

export interface ConnectionLimits {
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
export async function connectBare(
  url: string,
  { answerMs, connectMs = CONNECT_MS }: Omit<ConnectionLimits, 'settings'>,
): Promise<DedicatedConnection> {
  const name = databaseName(url);
  const client = new pg.Client({
    ...clientConfig(url, connectMs),
    // The server's own limit, if set, fires first: its error is more specific.
    ...(answerMs > 0 && { query_timeout: answerMs + 500 }),
  });
  // Without a listener, a broken connection would end the process; its user gets the error, too.
  client.on('error', () => {});
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translateError(error, name);
    }
  };
  async function close(): Promise<void> {
    const ended = client.end().catch(() => {});
    await within(ended, FAREWELL_MS);
  }
  try {
    await explained(() => client.connect());
  } catch (error) {
    void close();
    throw error;
  }
  return {
    client,
    rows: async (sql, values = []) =>
      (await explained(() => client.query(sql, [...values]))).rows as Record<string, unknown>[],
    close,
  };
}
