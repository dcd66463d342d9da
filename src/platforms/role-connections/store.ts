import type { MaybePromise } from '#base';
import type { Figures, PendingDrop } from './figures.ts';

/** The only platform with role connections. */
export const ROLE_CONNECTIONS_ON = 'discord';

/** A member's data at Discord. */
export interface RoleMetadata {
  readonly figures: Figures;
  /** A wallet's short address, or the tier's name; undefined if there is neither. */
  readonly name: string | undefined;
  /**
   * Whether Discord gets all fields, not only the tier; missing in records of earlier versions,
   * which sent all.
   */
  readonly isExact?: boolean;
  /** The wallets that the data comes from. */
  readonly wallets: readonly string[];
}

/** What we last pushed for a member; times are seconds since 1970. */
export interface MetadataState {
  /** Undefined: nothing, as the member has no linked wallet. */
  readonly shown: RoleMetadata | undefined;
  /** Whether Discord accepted it. */
  readonly isAccepted: boolean;
  readonly fall: PendingDrop | undefined;
  /** When it was last checked. */
  readonly checkedAt: number;
}

/** A member who authorized us. */
export interface RoleConnection extends MetadataState {
  /** Discord's id of the account. */
  readonly account: string;
  /** The member's tokens, sealed. */
  readonly tokens: Uint8Array;
  /** Version of the tokens: writers say which they read. */
  readonly version: number;
  readonly connectedAt: number;
}

/** An erased account whose data Discord is still to delete: for some days, and only with its own tokens. */
export type Parting = Pick<RoleConnection, 'account' | 'tokens' | 'version'>;

/** Connected members. Throws RetryableError if the store is unavailable. */
export interface RoleConnectionStore {
  find(account: string): MaybePromise<RoleConnection | undefined>;
  /**
   * Stores a new connection, or new tokens for an existing one: what was shown is kept, but counts
   * as not pushed.
   */
  connect(account: string, tokens: Uint8Array, now: number): MaybePromise<void>;
  /**
   * Replaces the tokens that were read, atomically.
   * @returns false if another writer was faster, or it's gone
   */
  replaceTokens(account: string, version: number, tokens: Uint8Array): MaybePromise<boolean>;
  /** Records what was shown; does nothing if the connection is gone. */
  note(account: string, showing: MetadataState): MaybePromise<void>;
  /**
   * Members last checked before that time, oldest first; and those with impossible later dates,
   * from before the clock was set back.
   */
  due(checkedBy: number, latest: number, limit: number): MaybePromise<readonly RoleConnection[]>;
  /** @returns false if it has other tokens by now, or is gone */
  drop(account: string, version: number): MaybePromise<boolean>;
  /** What is left of an erased account, if Discord may still have data of it. */
  parting(account: string): MaybePromise<Parting | undefined>;
  /** Those last tried before that time, oldest first. */
  partings(triedBy: number, limit: number): MaybePromise<readonly Parting[]>;
  /** It was tried, perhaps with new tokens; does nothing if it's gone. */
  keepParting(parting: Parting, now: number): MaybePromise<void>;
  /** Discord has nothing any more. */
  parted(parting: Parting): MaybePromise<void>;
}

/** A connection as its account gets it, without its tokens. */
export interface ConnectionRecord {
  readonly connectedAt: number;
  readonly shown: RoleMetadata | undefined;
}
