import type { KeyStore } from '#core/ports';
import { createKeyStore } from '#stores/keys';
import type { SqlRunner } from '#stores/sql/script';
import { KeyCache } from './key-cache.ts';

/** A key store that remembers live keys, for every request that bears one asks for it. */
export interface CachedKeyStore extends KeyStore {
  /** To be called when an owner's keys were erased by other means than `revoke`. */
  forgetOwner(owner: string): void;
}

/**
 * Live keys are remembered for 5 s: so what another replica revokes is accepted here for so long at
 * most. What this one revokes is not. While Postgres is away those that were known go on being
 * accepted for 60 s more; of others nothing can be said, and that is a RetryableError.
 * @param patienceMs how long a key that is known waits before Postgres counts as away, 500 if not given
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
        // Even of one that failed it can't be known whether it came to pass.
        cache.drop((key) => key.id === id && (owner === undefined || key.owner === owner));
      }
    },
    forgetOwner: (owner) => cache.drop((key) => key.owner === owner),
  };
}
