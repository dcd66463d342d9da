import type { LinkStore } from '#core/links/store';
import type { Database } from '#stores/postgres/database';
import type { CachedKeyStore } from '#stores/postgres/keys';
import { createAccountTables } from './accounts.ts';
import { createLinkTables } from './links.ts';
import { createRequestTable } from './requests.ts';

/**
 * Linked wallets in tables of their own.
 * @param keys of the same database: they are erased with an account
 */
export function createLinkStore(
  db: Database,
  keys: Pick<CachedKeyStore, 'forgetOwner'>,
): LinkStore {
  return {
    ...createRequestTable(db),
    ...createLinkTables(db),
    ...createAccountTables(db, keys),
  };
}
