import type { Logger } from '#base';
import type { Parting, RoleConnection, RoleConnectionStore, RoleMetadata } from './store.ts';

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
  readonly sync: RoleConnectionSync;
  /**
   * Registers the fields that communities can set requirements on, if they differ.
   * @throws RetryableError if the platform is unavailable
   */
  register(): Promise<void>;
  /** Aborts requests in flight. */
  close(): Promise<void>;
}

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
  /**
   * Deletes everything of an erased account and revokes the authorization. May be repeated.
   * @throws RetryableError if Discord or the store is unavailable
   */
  part(parting: Parting): Promise<void>;
}

/** Where Discord's dialog sends members, below PUBLIC_URL. */
export const LINKED_ROLES_PATH = '/discord/linked-roles';
/** Where Discord redirects them. */
export const CALLBACK_PATH = `${LINKED_ROLES_PATH}/callback`;

/** The next URL for the browser, and what it must bring back. */
export interface AuthorizationRedirect {
  /** Discord's authorization page. */
  readonly url: string;
  /** For a cookie: sealed, so the server keeps no state. */
  readonly ticket: string;
  /** Its lifetime in seconds. */
  readonly lasts: number;
}

/** The parameters of Discord's redirect. All untrusted. */
export interface Callback {
  readonly code: string | undefined;
  readonly state: string | undefined;
  readonly error: string | undefined;
}

/** The outcome of a push to Discord. */
export type RoleSyncResult =
  | 'told'
  /** No linked wallet yet. */
  | 'no-wallet'
  /** The data or Discord is unavailable; it follows automatically. */
  | 'later'
  /** The member disconnected. */
  | 'gone';

/** The outcome of connecting, for the page. */
export type ConnectResult =
  | { readonly kind: 'connected'; readonly result: RoleSyncResult }
  /** The browser must authorize again, in another way. */
  | { readonly kind: 'again'; readonly departure: AuthorizationRedirect }
  | { readonly kind: 'denied' }
  /** Expired, from another browser, or already used. */
  | { readonly kind: 'expired' }
  /** Discord rejects the code, or the member granted fewer scopes. */
  | { readonly kind: 'refused' };

/** The API of the pages for connecting. */
export interface LinkedRolesPageService {
  /** @throws RetryableError if Discord is unavailable */
  startAuthorization(): Promise<AuthorizationRedirect>;
  /**
   * Continues what `startAuthorization` started.
   * @param ticket from the cookie
   * @throws RetryableError if Discord or the store is unavailable
   */
  finishAuthorization(callback: Callback, ticket: string | undefined): Promise<ConnectResult>;
}
