import type { RoleConnection, RoleMetadata } from './store.ts';

export type PushResult =
  | 'told'
  /** The member disconnected, so the connection was deleted. */
  | 'gone'
  /** Their tokens can't be read: they were sealed with another secret. */
  | 'locked';

/** Updates Discord on behalf of members. */
export interface RoleConnectionSync {
  /**
   * Pushes a member's metadata to Discord.
   * @param shown undefined deletes everything Discord has
   * @throws RetryableError if Discord or the store is unavailable
   */
  push(connection: RoleConnection, shown: RoleMetadata | undefined): Promise<PushResult>;
  /** Deletes everything and revokes the authorization, as far as possible now. */
  disconnect(connection: RoleConnection): Promise<void>;
}
