import { UserError } from '#core/errors';
import { databaseName } from './database.ts';
import { type ConnectionLimits, connectBare } from './ledger/connection.ts';

const LIMITS = { answerMs: 5_000 };
const PROCESS = 'SELECT pg_backend_pid() AS process';

/**
 * Makes sure that a connection is one of the server's own for as long as it lasts. A pooler that gives
 * each transaction another one (PgBouncer's transaction mode, the "pooled" address of many a hosting
 * service) loses locks, settings and notifications between them, and leaves them to strangers; so nothing is set
 * while this is asked.
 * @throws UserError `wrong-configuration`; RetryableError when it can't be had now
 */
export async function requireSession(url: string): Promise<void> {
  if (await isPooled(url, LIMITS)) throw pooled(url);
}

/** What to tell who has named such a pooler. */
export function pooled(url: string): UserError {
  return new UserError(
    'wrong-configuration',
    `${databaseName(url)} is behind a pooler that switches connections between transactions. Use the address of Postgres itself, or of a pooler in session mode.`,
  );
}

/** Whether there is such a pooler. @throws as `connect` does */
export async function isPooled(url: string, limits: ConnectionLimits): Promise<boolean> {
  const one = await connectBare(url, limits);
  try {
    const other = await connectBare(url, limits);
    try {
      const [before] = await one.rows(PROCESS);
      // Such a pooler lends this transaction the connection that the question before it had used.
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
