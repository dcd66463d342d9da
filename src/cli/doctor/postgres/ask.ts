import { connect } from '#stores/postgres/ledger/connection';
import { requireSession } from '#stores/postgres/pooler';

const PATIENCE_MS = 5_000;

/** Puts one question. @returns its first row */
export type Ask = (
  sql: string,
  values?: readonly unknown[],
) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Looks at a database in a transaction that can't write.
 * @throws UserError, RetryableError
 */
export async function asking<T>(url: string, look: (ask: Ask) => Promise<T>): Promise<T> {
  await requireSession(url);
  const connection = await connect(url, { answerMs: PATIENCE_MS });
  try {
    await connection.rows('BEGIN READ ONLY');
    return await look(async (sql, values) => (await connection.rows(sql, values))[0] ?? {});
  } finally {
    await connection.close();
  }
}
