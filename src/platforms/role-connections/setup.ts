import type { Logger } from '#base';
import type { LinkedRolesPageService, RoleSyncResult } from './page-service.ts';
import type { RoleConnectionSync } from './role-connection-sync.ts';
import type { RoleConnectionStore } from './store.ts';

/** A platform whose members can show their scores in their profiles. */
export interface RoleConnectionsSetup {
  /** This instance's URL, to which the platform redirects browsers. */
  readonly publicUrl: string;
  /** Loaded only if configured. */
  load(): Promise<OpenRoleConnections>;
}

export type OpenRoleConnections = (options: RoleConnectionOptions) => RoleConnections;

export interface RoleConnectionOptions {
  /** Public URL of this instance, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly store: RoleConnectionStore;
  /** Pushes a member's data for the first time; never throws. */
  readonly onConnected: (account: string) => Promise<RoleSyncResult>;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
  /** Timeout of a request. */
  readonly timeoutMs: number;
}

/** The platform's implementation. */
export interface RoleConnections {
  readonly service: LinkedRolesPageService;
  readonly teller: RoleConnectionSync;
  /**
   * Registers the fields that communities can set requirements on, if they differ.
   * @throws RetryableError if the platform is unavailable
   */
  register(): Promise<void>;
  /** Aborts requests in flight. */
  close(): Promise<void>;
}
