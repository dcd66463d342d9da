/** Where members are sent by Discord's dialog, below PUBLIC_URL. */
export const LINKED_ROLES_PATH = '/discord/linked-roles';
/** Where Discord sends them back to. */
export const CALLBACK_PATH = `${LINKED_ROLES_PATH}/callback`;

/** Where the browser goes next, and what it must bring back. */
export interface AuthorizationRedirect {
  /** Of Discord's own page. */
  readonly url: string;
  /** For a cookie: sealed, so that nothing is kept here. */
  readonly ticket: string;
  /** Seconds for which it is good. */
  readonly lasts: number;
}

/** What Discord's redirect says. All of it is hostile. */
export interface Callback {
  readonly code: string | undefined;
  readonly state: string | undefined;
  readonly error: string | undefined;
}

/** What came of telling Discord about a member. */
export type RoleSyncResult =
  | 'told'
  /** There is no linked wallet yet. */
  | 'no-wallet'
  /** The figures or Discord can't be had now; it follows by itself. */
  | 'later'
  /** The member has ended the connection. */
  | 'gone';

/** How a connection went, for the page to say. */
export type ConnectResult =
  | { readonly kind: 'connected'; readonly result: RoleSyncResult }
  /** The browser must ask Discord once more, in another way. */
  | { readonly kind: 'again'; readonly departure: AuthorizationRedirect }
  | { readonly kind: 'denied' }
  /** Too late, of another browser, or used before. */
  | { readonly kind: 'expired' }
  /** Discord does not take the code, or the member gave less than was asked for. */
  | { readonly kind: 'refused' };

/** What the pages on which members connect ask. */
export interface LinkedRolesPageService {
  /** @throws RetryableError when Discord can't be asked now */
  startAuthorization(): Promise<AuthorizationRedirect>;
  /**
   * Goes on with what `depart` began.
   * @param ticket from the cookie
   * @throws RetryableError when Discord or the store can't be asked now
   */
  finishAuthorization(callback: Callback, ticket: string | undefined): Promise<ConnectResult>;
}
