import { run, type SqlScript } from '#stores/sql/script';

/**
 * Locks by name, until the transaction ends. Whoever takes several takes the account's first, then
 * those of the wallets: so no two can wait for each other. What is read after a lock was taken shows
 * all that its last holder did, as every statement sees what was committed before it began.
 */

/** @param account as `accountKey` names it */
export function* lockAccount(account: string): SqlScript<void> {
  yield* run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [accountName(account)]);
}

/** Beside others who do the same, but not beside who holds the account alone. */
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
