import { accountKey } from '#command';
import type { LinkStore } from '#linking';
import { createLinkStore } from '#storage/links/index';
import type { SqlRunner } from '#storage/sql/script';
import type { CachedKeyStore } from './keys.ts';

/** Erases an account's keys with it, also from the cache. */
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
        // Even an erasure that failed may have been committed.
        keys.forgetOwner(accountKey(account));
      }
    },
  };
}
