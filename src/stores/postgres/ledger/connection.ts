import pg from 'pg';
import { within } from '#runtime/within';
import { applySettings, clientConfig, databaseName } from '#stores/postgres/database';
import { translateError } from '#stores/postgres/errors';

/** A start or a command has time; servers that sleep while nobody asks take seconds to wake up. */
const CONNECT_MS = 10_000;
/** How long a server gets to say goodbye. */
const FAREWELL_MS = 1_000;

export interface ConnectionLimits {
  /** The longest that an answer may take; a frozen server is noticed by this alone. 0 is for ever. */
  readonly answerMs: number;
  /** The longest that the connection may take, 10 s if not given. */
  readonly connectMs?: number;
  /** Settings of the server for this connection, name and value. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A connection of its own, for what can't take one of the pool's. The pool's deadlines don't hold. */
export interface DedicatedConnection {
  readonly client: pg.Client;
  /** Rows as objects. Throws RetryableError when there is no answer. */
  rows(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Never fails and never hangs. Whatever was under way is undone by the server. */
  close(): Promise<void>;
}

/** @throws RetryableError when it can't be had now; UserError `wrong-configuration` */
export async function connect(url: string, limits: ConnectionLimits): Promise<DedicatedConnection> {
  const { answerMs, settings } = limits;
  const connection = await connectBare(url, limits);
  try {
    await applySettings(connection.client, { statement_timeout: String(answerMs), ...settings });
  } catch (error) {
    void connection.close();
    throw translateError(error, databaseName(url));
  }
  return connection;
}

/**
 * With nothing set, not even the schema: what is set may stay behind at a pooler.
 * @throws as `connect` does
 */
export async function connectBare(
  url: string,
  { answerMs, connectMs = CONNECT_MS }: Omit<ConnectionLimits, 'settings'>,
): Promise<DedicatedConnection> {
  const name = databaseName(url);
  const client = new pg.Client({
    ...clientConfig(url, connectMs),
    // The server's own limit, if one is set, comes first: it is the one to say what is wrong.
    ...(answerMs > 0 && { query_timeout: answerMs + 500 }),
  });
  // Without a listener a connection that breaks ends the process; who uses it gets the error too.
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
