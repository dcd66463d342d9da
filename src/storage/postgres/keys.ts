import type { KeyStore } from '#base';
import { createKeyStore } from '#storage/keys';
import type { SqlRunner } from '#storage/sql/script';
import { KeyCache } from './key-cache.ts';

/** A key store that caches live keys, because every request with a key looks one up. */
export interface CachedKeyStore extends KeyStore {
  /** Call it when an owner's keys were erased other than by `revoke`. */
  forgetOwner(owner: string): void;
}

/**
 * Caches live keys for 5 s, so a key that another replica revokes is accepted here for at most that
 * long; one revoked here is rejected immediately. While Postgres is down, known keys are accepted
 * for a day more, and unknown ones cause a RetryableError.
 * @param patienceMs how long a lookup of a known key waits before Postgres counts as down, 500 by
 * default
 */
export function createCachedKeyStore(sql: SqlRunner, patienceMs?: number): CachedKeyStore {
  const keys = createKeyStore(sql);
  const cache = new KeyCache(
    async (hash) => await keys.findByHash(hash),
    () => performance.now(),
    patienceMs,
  );

  return {
    ...keys,
    findByHash: (hash) => cache.find(hash),
    async revoke(id, owner) {
      try {
        await keys.revoke(id, owner);
      } finally {
        // Even a revocation that failed may have been committed.
        cache.drop((key) => key.id === id && (owner === undefined || key.owner === owner));
      }
    },
    forgetOwner: (owner) => cache.drop((key) => key.owner === owner),
  };
}
