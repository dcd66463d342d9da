import type { BotRest } from '#platforms/discord/bot-rest';
import { redactingLog } from '#platforms/discord/redact-log';
import type {
  OpenRoleConnections,
  RoleConnectionOptions,
  RoleConnections,
} from '#platforms/role-connections';
import { Application } from './application.ts';
import { Connecting } from './connecting.ts';
import { DiscordHttp } from './http.ts';
import { OAuth } from './oauth.ts';
import { DiscordRoleConnectionSync } from './role-connection-sync.ts';
import { Tickets } from './tickets.ts';
import { TokenSafe } from './token-safe.ts';

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
  return {
    service: new Connecting({ ...base, oauth, application, tickets, safe }),
    teller: new DiscordRoleConnectionSync({ ...base, oauth, application, safe }),
    register: () => application.register(),
    async close() {
      application.close();
      await http.close();
    },
  };
}
