import type { Figures } from '#core/linked-roles/figures';
import type { PendingDrop } from '#core/linked-roles/hysteresis';
import type { MaybePromise } from '#core/maybe-promise';

/** The one platform that shows figures in profiles. The store keeps connections of it alone. */
export const ROLE_CONNECTIONS_ON = 'discord';

/** What Discord is told of a member. */
export interface RoleMetadata {
  readonly figures: Figures;
  /** A wallet's short address, or the tier's name; undefined where there is neither. */
  readonly name: string | undefined;
  /** Whether all figures are told, and not the tier alone; missing in those of earlier versions, which were. */
  readonly isExact?: boolean;
  /** Addresses that the figures came from. */
  readonly wallets: readonly string[];
}

/** What is remembered of what a member was told about; times are seconds since 1970. */
export interface MetadataState {
  /** Undefined: nothing, for the member has no linked wallet. */
  readonly shown: RoleMetadata | undefined;
  /** Whether Discord has taken it. */
  readonly isTold: boolean;
  readonly fall: PendingDrop | undefined;
  /** When it was looked at last. */
  readonly checkedAt: number;
}

/** A member who let us tell Discord about them. */
export interface RoleConnection extends MetadataState {
  /** Discord's id of the account. */
  readonly account: string;
  /** What Discord gave us for it, sealed. */
  readonly tokens: Uint8Array;
  /** Counts changes of the tokens: whoever replaces them says which were read. */
  readonly version: number;
  readonly connectedAt: number;
}

/** Those who connected. Throws RetryableError when the store can't be had. */
export interface RoleConnectionStore {
  find(account: string): MaybePromise<RoleConnection | undefined>;
  /**
   * Keeps a new connection, or other tokens for one that is there: what was shown stays known, but
   * counts as not told.
   */
  connect(account: string, tokens: Uint8Array, now: number): MaybePromise<void>;
  /**
   * Puts new tokens in place of those that were read, in one step.
   * @returns false if somebody else was faster, or it is gone
   */
  replaceTokens(account: string, version: number, tokens: Uint8Array): MaybePromise<boolean>;
  /** Remembers what was shown; nothing if it is gone. */
  note(account: string, showing: MetadataState): MaybePromise<void>;
  /**
   * Those looked at last by that time, the longest ago first; and those that were noted to be looked
   * at later than can be, before the clock was set back.
   */
  due(checkedBy: number, latest: number, limit: number): MaybePromise<readonly RoleConnection[]>;
  /** @returns false if it has other tokens by now, or is gone */
  drop(account: string, version: number): MaybePromise<boolean>;
}
