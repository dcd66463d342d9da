import type { MaybePromise } from './maybe-promise.ts';

/** A stored API key, without the key itself. */
export interface ApiKey {
  readonly id: string;
  readonly label: string;
  /** Its owner: `cli`, or a chat account such as `discord:1234`. */
  readonly owner: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly revokedAt: number | undefined;
}

export interface KeyStore {
  /** @param hash SHA-256 of the key, 64 hex digits. @returns a live key, or undefined */
  findByHash(hash: string): MaybePromise<ApiKey | undefined>;
  /**
   * @param liveLimit maximum active keys of the owner, including this one; checked in the same
   *   transaction
   * @throws UserError `key-limit`
   */
  add(key: { label: string; owner: string; hash: string }, liveLimit: number): MaybePromise<ApiKey>;
  /** All keys, oldest first; those of one owner if given. */
  list(owner?: string): MaybePromise<ApiKey[]>;
  /** @throws UserError `key-not-found` (also for another owner's key, if an owner is given) */
  revoke(id: string, owner?: string): MaybePromise<void>;
}
