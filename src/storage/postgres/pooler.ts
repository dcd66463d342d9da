import { RetryableError, UserError } from '#base';
import { within } from '#base/waiting';
import { databaseName } from './database.ts';
import {
  type ConnectionLimits,
  connect,
  connectBare,
  type DedicatedConnection,
} from './ledger/connection.ts';

const LIMITS = { answerMs: 5_000 };
const PROCESS = 'SELECT pg_backend_pid() AS process';

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
    if (await isSwitched(connection, url, LIMITS)) throw pooled(url);
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
    const [row] = await within(connection.rows(PROCESS), limits.answerMs, () => {
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
