import type { LinkedRolesPageService, LookResult } from '#core/linked-roles/page-service';
import type { RoleConnectionStore } from '#core/linked-roles/store';
import type { RoleTeller } from '#core/linked-roles/teller';
import type { Logger } from '#core/logger';
import { hidingLog } from '#platforms/discord/hide';
import { Application } from './application.ts';
import { Connecting } from './connecting.ts';
import { DiscordHttp } from './http.ts';
import { OAuth } from './oauth.ts';
import { DiscordTeller } from './teller.ts';
import { Tickets } from './tickets.ts';
import { TokenSafe } from './token-safe.ts';

const AUTHORIZE_URL = 'https://discord.com/oauth2/authorize';

export interface DiscordRolesOptions {
  /** The bot's. */
  readonly token: string;
  readonly clientSecret: string;
  /** Where the REST API is, without its version; Discord's own when undefined. */
  readonly apiUrl: string | undefined;
  /** Discord's page on which members say yes; its own unless given. */
  readonly authorizeUrl?: string;
  readonly publicUrl: () => string;
  readonly store: RoleConnectionStore;
  /** Tells Discord about a member for the first time; it doesn't throw. */
  readonly onConnected: (account: string) => Promise<LookResult>;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  /** For a request. */
  readonly timeoutMs: number;
}

/** Discord's side of Linked Roles. */
export interface DiscordRoles {
  readonly service: LinkedRolesPageService;
  readonly teller: RoleTeller;
  /**
   * Tells Discord what servers may ask for, where it knows something else.
   * @throws RetryableError when Discord can't be asked now
   */
  register(): Promise<void>;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

export function openLinkedRoles(options: DiscordRolesOptions): DiscordRoles {
  const { token, clientSecret, store, authorizeUrl = AUTHORIZE_URL, now } = options;
  const log = hidingLog(hidingLog(options.log, token), clientSecret);
  const http = new DiscordHttp(options);
  const base = { ...options, log, http };
  const application = new Application(base);
  const oauth = new OAuth({ ...base, authorizeUrl });
  const safe = new TokenSafe(clientSecret, store);
  const tickets = new Tickets(clientSecret, now);
  return {
    service: new Connecting({ ...base, oauth, application, tickets, safe }),
    teller: new DiscordTeller({ ...base, oauth, application, safe }),
    register: () => application.register(),
    close: () => http.close(),
  };
}
