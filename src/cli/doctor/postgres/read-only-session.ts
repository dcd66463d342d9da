import { connectSession } from '#storage/postgres';

const PATIENCE_MS = 5_000;

/** Runs a query. @returns the first row */
export type SelectRow = (
  sql: string,
  values?: readonly unknown[],
) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Queries a database in a read-only transaction.
 * @throws UserError, RetryableError
 */
export async function inReadOnlySession<T>(
  url: string,
  look: (select: SelectRow) => Promise<T>,
): Promise<T> {
  const connection = await connectSession(url, { answerMs: PATIENCE_MS });
  try {
    await connection.rows('BEGIN READ ONLY');
    return await look(async (sql, values) => (await connection.rows(sql, values))[0] ?? {});
  } finally {
    await connection.close();
  }
}
