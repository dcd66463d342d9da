import { accountKey } from '#core/links/account';
import type { LinkStore } from '#core/links/store';
import { createLinkStore } from '#stores/links/index';
import type { SqlRunner } from '#stores/sql/script';
import type { CachedKeyStore } from './keys.ts';

/** Links of an account whose keys, which are erased with it, are kept in memory too. */
export function createLinkStoreBesideKeys(
  sql: SqlRunner,
  keys: Pick<CachedKeyStore, 'forgetOwner'>,
): LinkStore {
  const links = createLinkStore(sql);
  return {
    ...links,
    async erase(account, holdUntil) {
      try {
        await links.erase(account, holdUntil);
      } finally {
        // Even of one that failed it can't be known whether it came to pass.
        keys.forgetOwner(accountKey(account));
      }
    },
  };
}
