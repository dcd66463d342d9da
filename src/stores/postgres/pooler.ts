import { UserError } from '#core/errors';
import { nameOf } from './database.ts';
import { connect } from './ledger/connection.ts';

const PATIENCE_MS = 5_000;
const PROCESS = 'SELECT pg_backend_pid() AS process';

/**
 * Makes sure that a connection is one of the server's own for as long as it lasts. A pooler that gives
 * each transaction another one (PgBouncer's transaction mode, the "pooled" address of many a hosting
 * service) loses locks, settings and notifications between them, and leaves them to strangers.
 * @throws UserError `wrong-configuration`; RetryableError when it can't be had now
 */
export async function requireSession(url: string): Promise<void> {
  const one = await connect(url, { answerMs: PATIENCE_MS });
  try {
    const other = await connect(url, { answerMs: PATIENCE_MS });
    try {
      const [before] = await one.rows(PROCESS);
      // Such a pooler lends this transaction the connection that the question before it had used.
      await other.rows('BEGIN');
      const [after] = await one.rows(PROCESS);
      if (before?.process === after?.process) return;
    } finally {
      await other.close();
    }
  } finally {
    await one.close();
  }
  throw new UserError(
    'wrong-configuration',
    `${nameOf(url)} is behind a pooler that gives each transaction another connection. Name Postgres itself in DATABASE_URL, or a pooler in session mode.`,
  );
}
