import { wallSeconds } from '#core/clock';
import type { KeyStore } from '#core/ports';
import { keyLimit, keyNotFound, keyOf, newKeyId } from '#stores/keys';
import { retried } from './conflicts.ts';
import type { Database } from './database.ts';
import { KeyCache } from './key-cache.ts';
import { lockAccount } from './locks.ts';
import { drive } from './runner.ts';

/** API keys in the store's own table, by their hash. */
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
export function createKeyStore(db: Database, patienceMs?: number): CachedKeyStore {
  const now = wallSeconds;
  const cache = new KeyCache(
    async (hash) => {
      const [row] = await db.rows('SELECT * FROM api_key WHERE hash = $1 AND revoked_at IS NULL', [
        hash,
      ]);
      return row && keyOf(row);
    },
    () => performance.now(),
    patienceMs,
  );

  return {
    findByHash: (hash) => cache.find(hash),
    add: ({ label, owner, hash }, liveLimit) =>
      retried(() =>
        db.transaction(async (queries) => {
          await drive(queries, () => lockAccount(owner));
          const live = await queries.rows(
            'SELECT count(*) AS n FROM api_key WHERE owner = $1 AND revoked_at IS NULL',
            [owner],
          );
          if (Number(live[0]?.n) >= liveLimit) throw keyLimit(liveLimit);
          const [row] = await queries.rows(
            `INSERT INTO api_key (id, hash, label, owner, created_at)
             VALUES ($1, $2, $3, $4, $5) RETURNING *`,
            [newKeyId(), hash, label, owner, now()],
          );
          return keyOf(row ?? {});
        }),
      ),
    async list(owner) {
      const rows = await (owner === undefined
        ? db.rows('SELECT * FROM api_key ORDER BY number')
        : db.rows('SELECT * FROM api_key WHERE owner = $1 ORDER BY number', [owner]));
      return rows.map(keyOf);
    },
    async revoke(id, owner) {
      try {
        const found = await db.run(
          `UPDATE api_key SET revoked_at = coalesce(revoked_at, $2)
           WHERE id = $1 AND owner = coalesce($3, owner)`,
          [id, now(), owner],
        );
        if (found === 0) throw keyNotFound(id);
      } finally {
        // Even of one that failed it can't be known whether it came to pass.
        cache.drop((key) => key.id === id && (owner === undefined || key.owner === owner));
      }
    },
    forgetOwner: (owner) => cache.drop((key) => key.owner === owner),
  };
}
