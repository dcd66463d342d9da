import { UserError } from '#core/errors';
import { databaseName } from './database.ts';
import { type ConnectionLimits, connectBare } from './ledger/connection.ts';

const LIMITS = { answerMs: 5_000 };
const PROCESS = 'SELECT pg_backend_pid() AS process';

/**
 * Verifies that a connection is bound to one server session. A pooler that assigns a session per
 * transaction (PgBouncer's transaction mode, the "pooled" address of many hosting services) loses
 * locks, settings and notifications in between, and leaks them to others; so we set nothing while
 * checking.
 * @throws UserError `wrong-configuration`; RetryableError if the server is unavailable
 */
export async function requireSession(url: string): Promise<void> {
  if (await isPooled(url, LIMITS)) throw pooled(url);
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
  const one = await connectBare(url, limits);
  try {
    const other = await connectBare(url, limits);
    try {
      const [before] = await one.rows(PROCESS);
      // Such a pooler gives this transaction the session that the previous query used.
      await other.rows('BEGIN');
      const [after] = await one.rows(PROCESS);
      await other.rows('ROLLBACK');
      return before?.process !== after?.process;
    } finally {
      await other.close();
    }
  } finally {
    await one.close();
  }
}
