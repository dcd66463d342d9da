import { fieldOf, type Logger, RateWindows, RetryableError } from '#base';
import { redactingLog } from '#platforms/discord/logging';
import type { BotRest } from '#platforms/discord/rest/bot-rest';
import type {
  AuthorizationRedirect,
  Callback,
  ConnectResult,
  LinkedRolesPageService,
  OpenRoleConnections,
  Parting,
  PushResult,
  RoleConnection,
  RoleConnectionOptions,
  RoleConnectionStore,
  RoleConnectionSync,
  RoleConnections,
  RoleMetadata,
  RoleSyncResult,
} from '#platforms/role-connections';
import { Application, connectionBody } from './application.ts';
import { DiscordHttp } from './http.ts';
import { OAuth, type Tokens } from './oauth.ts';
import { TICKET_SECONDS, Tickets, TokenSafe } from './sealed.ts';

const AUTHORIZE_URL = 'https://discord.com/oauth2/authorize';

export interface LinkedRolesSettings {
  /** Makes the requests that use the bot token. */
  readonly rest: BotRest;
  readonly clientSecret: string;
  /** The REST API, without its version; Discord's own by default. */
  readonly apiUrl: string | undefined;
  /** Discord's authorization page; its own by default. */
  readonly authorizeUrl?: string;
}

/** Discord's side of Linked Roles. */
export function openLinkedRoles(settings: LinkedRolesSettings): OpenRoleConnections {
  return (options) => open({ ...settings, ...options });
}

function open(options: LinkedRolesSettings & RoleConnectionOptions): RoleConnections {
  const { rest, clientSecret, store, authorizeUrl = AUTHORIZE_URL, now } = options;
  const log = redactingLog(redactingLog(options.log, rest.token), clientSecret);
  const http = new DiscordHttp(options);
  const base = { ...options, log, http };
  const application = new Application(base);
  const oauth = new OAuth({ ...base, authorizeUrl });
  const safe = new TokenSafe(clientSecret, store);
  const tickets = new Tickets(clientSecret, now);
  const parts = { ...base, oauth, application, tickets, safe };
  return {
    service: new Connecting(parts),
    sync: new DiscordRoleConnectionSync(parts),
    register: () => application.register(),
    async close() {
      application.close();
      await http.close();
    },
  };
}

const CODE = /^[\w-]{1,256}$/;
const SNOWFLAKE = /^\d{1,20}$/;
const MINUTE_MS = 60_000;
/**
 * Codes we exchange per minute, from all clients: Discord bans IP addresses with many invalid
 * requests.
 */
const CODES_A_MINUTE = 300;

interface LinkedRoleParts {
  readonly http: DiscordHttp;
  readonly oauth: OAuth;
  readonly application: Pick<Application, 'id'>;
  readonly tickets: Tickets;
  readonly safe: TokenSafe;
  readonly store: RoleConnectionStore;
  /** Pushes the member's metadata to Discord for the first time. */
  readonly onConnected: (account: string) => Promise<RoleSyncResult>;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
}

/** Connects members: redirects them to Discord and handles the callback. */
class Connecting implements LinkedRolesPageService {
  readonly #options: LinkedRoleParts;
  readonly #codes = new RateWindows({ length: MINUTE_MS, maxClients: 1 });
  /**
   * Discord is known to reject PKCE together with the scope we need. We use it until Discord
   * rejects it once: state and client secret suffice without it.
   * https://github.com/discord/discord-api-docs/issues/5751
   */
  #hasPkce = true;

  constructor(options: LinkedRoleParts) {
    this.#options = options;
  }

  async startAuthorization(): Promise<AuthorizationRedirect> {
    const { oauth, application, tickets } = this.#options;
    const clientId = await application.id();
    const { state, verifier, ticket } = tickets.issue(this.#hasPkce);
    return { url: oauth.urlFor(clientId, state, verifier), ticket, lasts: TICKET_SECONDS };
  }

  async finishAuthorization({ code, state, error }: Callback, ticket: string | undefined) {
    const { tickets, log } = this.#options;
    const trip = tickets.redeem(ticket, state);
    if (trip === undefined) return outcome('expired');
    if (error === 'access_denied') return outcome('denied');
    if (error === 'invalid_scope' && trip.verifier !== undefined) {
      if (this.#hasPkce)
        log.info({}, 'Discord rejects PKCE for Linked Roles; continuing without it');
      this.#hasPkce = false;
      return { kind: 'again', departure: await this.startAuthorization() } as const;
    }
    if (error !== undefined || code === undefined || !CODE.test(code)) return outcome('refused');
    return await this.#connect(code, trip.verifier);
  }

  async #connect(code: string, verifier: string | undefined): Promise<ConnectResult> {
    const { oauth, application, safe, store, now, monotonic } = this.#options;
    if (this.#codes.count('all', monotonic()).count > CODES_A_MINUTE) {
      throw new RetryableError('Too many members are connecting at once.', { retryAfter: 60 });
    }
    const clientId = await application.id();
    const tokens = await oauth.exchange(clientId, code, verifier);
    const account = tokens && (await this.#accountOf(tokens));
    if (tokens === undefined || account === undefined) return outcome('refused');
    await store.connect(account, safe.seal(account, tokens), now());
    safe.forget(account);
    return { kind: 'connected', result: await this.#firstCheck(account) };
  }

  /** The member who authorized us. @returns undefined if Discord doesn't say */
  async #accountOf({ access }: Tokens): Promise<string | undefined> {
    const { http } = this.#options;
    const authorization = `Bearer ${access}`;
    const { status, json } = await http.ask({ method: 'GET', path: '/oauth2/@me', authorization });
    const id = fieldOf(fieldOf(json, 'user'), 'id');
    return status === 200 && typeof id === 'string' && SNOWFLAKE.test(id) ? id : undefined;
  }

  async #firstCheck(account: string): Promise<RoleSyncResult> {
    try {
      return await this.#options.onConnected(account);
    } catch (error) {
      // The member is connected; a later round pushes the metadata.
      if (error instanceof RetryableError) return 'later';
      throw error;
    }
  }
}

function outcome<Kind extends 'denied' | 'expired' | 'refused'>(kind: Kind) {
  return { kind } as const;
}

/** Seconds before its expiry at which we stop using an access token. */
const MARGIN = 60;

/** Pushes members' metadata to Discord, with their tokens. */
class DiscordRoleConnectionSync implements RoleConnectionSync {
  readonly #options: LinkedRoleParts;

  constructor(options: LinkedRoleParts) {
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

  async part(parting: Parting): Promise<void> {
    const { oauth, application, safe, store, now } = this.#options;
    const kept = safe.open(parting);
    safe.forget(parting.account);
    if (kept === undefined) return;
    const clientId = await application.id();
    let tokens = kept;
    if (this.#isOver(kept) || !(await this.#send(kept, undefined))) {
      const renewed = await oauth.refresh(clientId, kept.refresh);
      // The member has disconnected, which deletes everything.
      if (renewed === undefined) return;
      // Those before are used up.
      await store.keepParting({ ...parting, tokens: safe.seal(parting.account, renewed) }, now());
      if (!(await this.#send(renewed, undefined))) throw refused();
      tokens = renewed;
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
