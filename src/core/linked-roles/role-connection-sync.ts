import type { RoleConnection, RoleMetadata } from '#core/linked-roles/store';

export type PushResult =
  | 'told'
  /** The member has ended the connection, which is dropped by that. */
  | 'gone'
  /** What they gave us can't be read: it was sealed with another secret. */
  | 'locked';

/** Speaks to Discord for members who let us. */
export interface RoleConnectionSync {
  /**
   * Tells Discord what a member's wallets come to.
   * @param shown undefined takes away all that Discord was told
   * @throws RetryableError when Discord or the store can't be had now
   */
  push(connection: RoleConnection, shown: RoleMetadata | undefined): Promise<PushResult>;
  /** Takes everything away and gives the permission back, as far as that can be done now. */
  disconnect(connection: RoleConnection): Promise<void>;
}
