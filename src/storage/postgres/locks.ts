import { run, type SqlScript } from '#storage/sql/script';

/**
 * Named locks, held until the transaction ends. Always lock the account first, then its wallets, so
 * that no two transactions deadlock. Statements after a lock see everything that its last holder
 * committed, because each statement sees what was committed before it started.
 */

/** @param account as named by `accountKey` */
export function* lockAccount(account: string): SqlScript<void> {
  yield* run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [accountName(account)]);
}

/** A shared lock: compatible with others like it, but not with an exclusive one. */
export function* shareAccount(account: string): SqlScript<void> {
  yield* run('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [
    accountName(account),
  ]);
}

export function* lockWallets(platform: string, addresses: readonly string[]): SqlScript<void> {
  yield* run(
    `SELECT pg_advisory_xact_lock(key) FROM (
       SELECT DISTINCT hashtextextended(name, 0) AS key FROM unnest($1::text[]) AS name ORDER BY key
     ) AS wallet`,
    [addresses.map((address) => `fathom wallet ${platform} ${address}`)],
  );
}

function accountName(account: string): string {
  return `fathom account ${account}`;
}
