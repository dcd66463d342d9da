import { RetryableError, UserError } from '#base';
import type { BatchName } from '#storage/following/position';
import { errorCodeOf } from '#storage/postgres/errors';
import type { DedicatedConnection } from './connection.ts';

const UNDEFINED_TABLE = '42P01';

/**
 * Verifies that a committed batch still exists. After a failover the new primary may lack the last
 * commits, and so does a restored backup.
 * @param name of the database, human-readable
 * @throws UserError `commits-lost`; RetryableError if a read replica answers, which proves nothing
 */
export async function requireCommitted(
  { client }: DedicatedConnection,
  { id, uid }: BatchName,
  name: string,
): Promise<void> {
  const { rows } = await client
    .query(`SELECT pg_is_in_recovery() AS is_copy, (SELECT uid FROM batch WHERE id = $1) AS uid`, [
      id,
    ])
    .catch((error: unknown) => {
      if (errorCodeOf(error) === UNDEFINED_TABLE) throw lost(name);
      throw error;
    });
  if (rows[0]?.is_copy === true) {
    throw new RetryableError(
      `${name} is a standby now, so we can't tell whether the import is complete. Check DATABASE_URL.`,
    );
  }
  if (rows[0]?.uid !== uid) throw lost(name);
}

function lost(name: string): UserError {
  return new UserError(
    'commits-lost',
    `${name} has lost a committed part of this import: another server took over, or a backup was restored. Run the same command again to add what's missing.`,
  );
}
