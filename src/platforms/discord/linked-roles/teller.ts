import { messageOf, RetryableError } from '#core/errors';
import type { PushResult, RoleConnectionSync } from '#core/linked-roles/role-connection-sync';
import type { RoleConnection, RoleConnectionStore, RoleMetadata } from '#core/linked-roles/store';
import type { Logger } from '#core/logger';
import type { Application } from './application.ts';
import { connectionBody } from './fields.ts';
import type { DiscordHttp } from './http.ts';
import type { OAuth, Tokens } from './oauth.ts';
import type { TokenSafe } from './token-safe.ts';

/** Seconds before its end from which an access token is not used any more. */
const MARGIN = 60;

export interface DiscordSyncOptions {
  readonly http: DiscordHttp;
  readonly oauth: OAuth;
  readonly application: Pick<Application, 'id'>;
  readonly store: RoleConnectionStore;
  readonly safe: TokenSafe;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** Tells Discord about members with what they gave us for it. */
export class DiscordRoleConnectionSync implements RoleConnectionSync {
  readonly #options: DiscordSyncOptions;

  constructor(options: DiscordSyncOptions) {
    this.#options = options;
  }

  async push(given: RoleConnection, shown: RoleMetadata | undefined): Promise<PushResult> {
    const { safe, store } = this.#options;
    const connection = await safe.save(given);
    if (connection === undefined) return 'gone';
    const kept = safe.open(connection);
    if (kept === undefined) return 'locked';
    const isRenewed = this.#isOver(kept);
    const tokens = isRenewed ? await this.#renew(connection, kept) : kept;
    if (tokens === undefined) return 'gone';
    if (await this.#send(tokens, shown)) return 'told';
    if (isRenewed) throw refused();
    // Discord may end an access token before its time; only the refresh token tells whether it was
    // the member who did.
    const current = await store.find(connection.account);
    const opened = current && safe.open(current);
    if (current === undefined || opened === undefined) return 'gone';
    const renewed = await this.#renew(current, opened);
    if (renewed === undefined) return 'gone';
    if (await this.#send(renewed, shown)) return 'told';
    throw refused();
  }

  async disconnect(connection: RoleConnection): Promise<void> {
    const { oauth, application, safe, log } = this.#options;
    const kept = safe.open(connection);
    safe.forget(connection.account);
    if (kept === undefined) return;
    const clientId = await application.id();
    const tokens = this.#isOver(kept) ? await oauth.refresh(clientId, kept.refresh) : kept;
    if (tokens === undefined) return;
    try {
      await this.#send(tokens, undefined);
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'what Discord knows of a member was not taken away');
    }
    await oauth.revoke(clientId, tokens.refresh);
  }

  #isOver({ expiresAt }: Tokens): boolean {
    return expiresAt - MARGIN <= this.#options.now();
  }

  /** @returns whether the access token was good */
  async #send({ access }: Tokens, shown: RoleMetadata | undefined): Promise<boolean> {
    const { http, application } = this.#options;
    const path = `/users/@me/applications/${await application.id()}/role-connection`;
    const authorization = `Bearer ${access}`;
    // Values that are empty were seen to be taken, and to change nothing: so all of it is deleted.
    // https://docs.discord.com/developers/resources/user#delete-current-user-application-role-connection
    const { status } =
      shown === undefined
        ? await http.ask({ method: 'DELETE', path, authorization })
        : await http.ask({ method: 'PUT', path, authorization, body: connectionBody(shown) });
    if (status === 401 || status === 403) return false;
    const isDone = status < 300 || (shown === undefined && status === 404);
    if (!isDone) throw new Error(`Discord does not take what it is told of a member (${status})`);
    return true;
  }

  /**
   * Trades the refresh token for new tokens, which are kept before they are used.
   * @returns undefined when the connection is over; it is dropped then
   */
  async #renew(connection: RoleConnection, { refresh }: Tokens): Promise<Tokens | undefined> {
    const { oauth, application, store, safe, log } = this.#options;
    const { account, version } = connection;
    const clientId = await application.id();
    const tokens = await oauth.refresh(clientId, refresh);
    if (tokens !== undefined && (await safe.replace(connection, tokens))) return tokens;
    if (tokens === undefined && (await store.drop(account, version))) {
      log.info(
        {},
        'a member has ended the connection for Linked Roles, or it could not be renewed',
      );
      return undefined;
    }
    // Somebody else was faster: another process, a new connection, or the member who was erased.
    const current = await store.find(account);
    if (current !== undefined) return safe.open(current);
    // To revoke one token of a member revokes all of them, which is right only here.
    if (tokens !== undefined) await oauth.revoke(clientId, tokens.refresh);
    return undefined;
  }
}

function refused(): RetryableError {
  return new RetryableError('Discord refuses a token that it has just given.', {
    retryAfter: 3_600,
  });
}
