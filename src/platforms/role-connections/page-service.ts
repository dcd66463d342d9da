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
