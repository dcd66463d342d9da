import { type ApiKey, BoundedMap, type KeyStore, type MaybePromise, RetryableError } from '#base';
import { within } from '#base/waiting';
import { accountKey } from '#command';
import type { LinkStore } from '#linking';
import { createKeyStore } from '#storage/keys';
import { createLinkStore } from '#storage/links';
import type { SqlRunner } from '#storage/sql/script';

/** A key store that caches live keys, because every request with a key looks one up. */
interface CachedKeyStore extends KeyStore {
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

/** How long a cached key counts as live. */
const FRESH_MS = 5_000;
/**
 * How much longer while Postgres is down: clients with a key are to be answered as long as those without one are,
 * and nobody can revoke a key then, unless this replica alone has lost Postgres.
 */
const AWAY_MS = 24 * 3_600_000;
/** How long a lookup of a known key waits before Postgres counts as down. */
const PATIENCE_MS = 500;
/** How long it then counts as down before another lookup waits for it. */
const PAUSE_MS = 1_000;
const MOST_KEPT = 4_096;

interface Kept {
  readonly key: ApiKey;
  /** When it was queried. */
  readonly readAt: number;
}

/**
 * Caches live keys by hash, because every request with a key looks one up. Doesn't cache other
 * keys.
 */
class KeyCache {
  readonly #read: (hash: string) => Promise<ApiKey | undefined>;
  readonly #now: () => number;
  readonly #patienceMs: number;
  readonly #kept = new BoundedMap<string, Kept>(MOST_KEPT);
  readonly #asked = new Map<string, Promise<ApiKey | undefined>>();
  #drops = 0;
  #awayUntil = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of a monotonic clock */
  constructor(
    read: (hash: string) => Promise<ApiKey | undefined>,
    now: () => number,
    patienceMs = PATIENCE_MS,
  ) {
    this.#read = read;
    this.#now = now;
    this.#patienceMs = patienceMs;
  }

  /** @throws RetryableError if the key isn't cached recently enough and Postgres is down */
  find(hash: string): MaybePromise<ApiKey | undefined> {
    const now = this.#now();
    const kept = this.#kept.get(hash);
    if (kept === undefined || now - kept.readAt >= FRESH_MS + AWAY_MS) return this.#ask(hash);
    if (now - kept.readAt < FRESH_MS || now < this.#awayUntil) return kept.key;
    return this.#askPatiently(hash);
  }

  /** Drops cached keys, and discards lookups in flight. */
  drop(which: (key: ApiKey) => boolean): void {
    this.#drops += 1;
    this.#asked.clear();
    for (const [hash, { key }] of this.#kept.entries()) if (which(key)) this.#kept.delete(hash);
  }

  /** Concurrent lookups of one key share a query. */
  #ask(hash: string): Promise<ApiKey | undefined> {
    const asked = this.#asked.get(hash);
    if (asked !== undefined) return asked;
    const [drops, readAt] = [this.#drops, this.#now()];
    const answer = this.#read(hash)
      .then((key) => {
        // It was read before the drop, and may be one of the dropped keys.
        if (drops === this.#drops) this.#keep(hash, key, readAt);
        return key;
      })
      .finally(() => {
        if (this.#asked.get(hash) === answer) this.#asked.delete(hash);
      });
    this.#asked.set(hash, answer);
    return answer;
  }

  async #askPatiently(hash: string): Promise<ApiKey | undefined> {
    const answer = this.#ask(hash);
    const inTime = answer.then(
      () => true,
      (error: unknown) => !(error instanceof RetryableError),
    );
    if (await within(inTime, this.#patienceMs)) return answer;
    this.#awayUntil = this.#now() + PAUSE_MS;
    // It may have been dropped meanwhile.
    return this.#kept.get(hash)?.key ?? answer;
  }

  #keep(hash: string, key: ApiKey | undefined, readAt: number): void {
    if (key === undefined) this.#kept.delete(hash);
    else this.#kept.set(hash, { key, readAt });
  }
}
