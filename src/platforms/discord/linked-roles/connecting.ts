import { fieldOf, type Logger, RateWindows, RetryableError } from '#base';
import type {
  AuthorizationRedirect,
  Callback,
  ConnectResult,
  LinkedRolesPageService,
  RoleConnectionStore,
  RoleSyncResult,
} from '#platforms/role-connections';
import type { Application } from './application.ts';
import type { DiscordHttp } from './http.ts';
import type { OAuth, Tokens } from './oauth.ts';
import { TICKET_SECONDS, type Tickets } from './tickets.ts';
import type { TokenSafe } from './token-safe.ts';

const CODE = /^[\w-]{1,256}$/;
const SNOWFLAKE = /^\d{1,20}$/;
const MINUTE_MS = 60_000;
/**
 * Codes we exchange per minute, from all clients: Discord bans IP addresses with many invalid
 * requests.
 */
const CODES_A_MINUTE = 300;

export interface ConnectingOptions {
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
export class Connecting implements LinkedRolesPageService {
  readonly #options: ConnectingOptions;
  readonly #codes = new RateWindows({ length: MINUTE_MS, maxClients: 1 });
  /**
   * Discord is known to reject PKCE together with the scope we need. We use it until Discord
   * rejects it once: state and client secret suffice without it.
   * https://github.com/discord/discord-api-docs/issues/5751
   */
  #hasPkce = true;

  constructor(options: ConnectingOptions) {
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
    return { kind: 'connected', result: await this.#firstLook(account) };
  }

  /** The member who authorized us. @returns undefined if Discord doesn't say */
  async #accountOf({ access }: Tokens): Promise<string | undefined> {
    const { http } = this.#options;
    const authorization = `Bearer ${access}`;
    const { status, json } = await http.ask({ method: 'GET', path: '/oauth2/@me', authorization });
    const id = fieldOf(fieldOf(json, 'user'), 'id');
    return status === 200 && typeof id === 'string' && SNOWFLAKE.test(id) ? id : undefined;
  }

  async #firstLook(account: string): Promise<RoleSyncResult> {
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
