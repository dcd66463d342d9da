import type { LinkedRolesPageService, RoleSyncResult } from '#core/linked-roles/page-service';
import type { RoleConnectionSync } from '#core/linked-roles/role-connection-sync';
import type { RoleConnectionStore } from '#core/linked-roles/store';
import type { Logger } from '#core/logger';

/** A platform whose members can show their figures in their profiles. */
export interface RoleConnectionsSetup {
  /** The instance's address, which the platform sends browsers back to. */
  readonly publicUrl: string;
  /** Its code is loaded only for who wants it. */
  load(): Promise<OpenRoleConnections>;
}

export type OpenRoleConnections = (options: RoleConnectionOptions) => RoleConnections;

export interface RoleConnectionOptions {
  /** Where others reach this instance, with no slash at the end. */
  readonly publicUrl: () => string;
  readonly store: RoleConnectionStore;
  /** Tells the platform about a member for the first time; it doesn't throw. */
  readonly onConnected: (account: string) => Promise<RoleSyncResult>;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  /** For a request. */
  readonly timeoutMs: number;
}

/** The platform's side of showing figures in profiles. */
export interface RoleConnections {
  readonly service: LinkedRolesPageService;
  readonly teller: RoleConnectionSync;
  /**
   * Tells the platform what communities may ask for, where it knows something else.
   * @throws RetryableError when it can't be asked now
   */
  register(): Promise<void>;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}
