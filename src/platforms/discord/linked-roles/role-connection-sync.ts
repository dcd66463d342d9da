import { type Logger, messageOf, RetryableError } from '#base';
import type {
  PushResult,
  RoleConnection,
  RoleConnectionStore,
  RoleConnectionSync,
  RoleMetadata,
} from '#platforms/role-connections';
import type { Application } from './application.ts';
import { connectionBody } from './fields.ts';
import type { DiscordHttp } from './http.ts';
import type { OAuth, Tokens } from './oauth.ts';
import type { TokenSafe } from './token-safe.ts';

/** Seconds before its expiry at which we stop using an access token. */
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

/** Pushes members' metadata to Discord, with their tokens. */
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
    // Discord may end an access token early; only the refresh token shows whether the member
    // disconnected.
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
      log.debug({ reason: messageOf(error) }, "could not delete a member's metadata from Discord");
    }
    await oauth.revoke(clientId, tokens.refresh);
  }

  #isOver({ expiresAt }: Tokens): boolean {
    return expiresAt - MARGIN <= this.#options.now();
  }

  /** @returns whether the access token was valid */
  async #send({ access }: Tokens, shown: RoleMetadata | undefined): Promise<boolean> {
    const { http, application } = this.#options;
    const path = `/users/@me/applications/${await application.id()}/role-connection`;
    const authorization = `Bearer ${access}`;
    // Discord accepts empty values but ignores them, so we delete everything.
    // https://docs.discord.com/developers/resources/user#delete-current-user-application-role-connection
    const { status } =
      shown === undefined
        ? await http.ask({ method: 'DELETE', path, authorization })
        : await http.ask({ method: 'PUT', path, authorization, body: connectionBody(shown) });
    if (status === 401 || status === 403) return false;
    const isDone = status < 300 || (shown === undefined && status === 404);
    if (!isDone) throw new Error(`Discord rejects a member's metadata (${status})`);
    return true;
  }

  /**
   * Exchanges the refresh token for new tokens, which are stored before use.
   * @returns undefined if the connection has ended; it is deleted then
   */
  async #renew(connection: RoleConnection, { refresh }: Tokens): Promise<Tokens | undefined> {
    const { oauth, application, store, safe, log } = this.#options;
    const { account, version } = connection;
    const clientId = await application.id();
    const tokens = await oauth.refresh(clientId, refresh);
    if (tokens !== undefined && (await safe.replace(connection, tokens))) return tokens;
    if (tokens === undefined && (await store.drop(account, version))) {
      log.info({}, "a member has disconnected Linked Roles, or the connection couldn't be renewed");
      return undefined;
    }
    // Another writer was faster: another process, a new connection, or an erasure.
    const current = await store.find(account);
    if (current !== undefined) return safe.open(current);
    // Revoking one token of a member revokes all of them, which is right only here.
    if (tokens !== undefined) await oauth.revoke(clientId, tokens.refresh);
    return undefined;
  }
}

function refused(): RetryableError {
  return new RetryableError('Discord rejects a token that it has just issued.', {
    retryAfter: 3_600,
  });
}
