/** The stand-in's routes; tests name them to inject faults. */
export type Route =
  | 'application'
  | 'me'
  | 'guilds'
  | 'user'
  | 'gateway'
  | 'list'
  | 'register'
  | 'callback'
  | 'edit'
  | 'look'
  | 'remove'
  | 'whisper'
  | 'guild'
  | 'member'
  | 'members'
  | 'audit'
  | 'give'
  | 'take'
  | 'make-role'
  | 'edit-role'
  | 'delete-role'
  | 'role-counts'
  | 'channels'
  | 'channel'
  | 'report'
  | 'edit-post'
  | 'delete-post';

export interface Known {
  readonly route: Route;
  readonly method: string;
  /** As in Discord's specification. */
  readonly path: string;
  readonly form: RegExp;
  /** Whether the bot token is required. */
  readonly token: boolean;
}

const WEBHOOK = '/webhooks/{webhook_id}/{webhook_token}';
const COMMANDS = '/applications/{application_id}/commands';
const CALLBACK = '/interactions/{interaction_id}/{interaction_token}/callback';
const MEMBERS = '/guilds/{guild_id}/members';
const ROLES = '/guilds/{guild_id}/roles';
const ROLE = `${MEMBERS}/{user_id}/roles/{role_id}`;

export const ROUTES: readonly Known[] = [
  known('application', 'GET', '/applications/@me'),
  known('me', 'GET', '/users/@me'),
  known('guilds', 'GET', '/users/@me/guilds'),
  known('user', 'GET', '/users/{user_id}'),
  known('gateway', 'GET', '/gateway/bot'),
  known('list', 'GET', COMMANDS),
  known('register', 'PUT', COMMANDS),
  known('callback', 'POST', CALLBACK, false),
  known('edit', 'PATCH', `${WEBHOOK}/messages/@original`, false),
  known('look', 'GET', `${WEBHOOK}/messages/@original`, false),
  known('remove', 'DELETE', `${WEBHOOK}/messages/@original`, false),
  known('whisper', 'POST', WEBHOOK, false),
  known('guild', 'GET', '/guilds/{guild_id}'),
  known('member', 'GET', `${MEMBERS}/{user_id}`),
  known('members', 'GET', MEMBERS),
  known('audit', 'GET', '/guilds/{guild_id}/audit-logs'),
  known('give', 'PUT', ROLE),
  known('take', 'DELETE', ROLE),
  known('role-counts', 'GET', `${ROLES}/member-counts`),
  known('make-role', 'POST', ROLES),
  known('edit-role', 'PATCH', `${ROLES}/{role_id}`),
  known('delete-role', 'DELETE', `${ROLES}/{role_id}`),
  known('channels', 'GET', '/guilds/{guild_id}/channels'),
  known('channel', 'GET', '/channels/{channel_id}'),
  known('report', 'POST', '/channels/{channel_id}/messages'),
  known('edit-post', 'PATCH', '/channels/{channel_id}/messages/{message_id}'),
  known('delete-post', 'DELETE', '/channels/{channel_id}/messages/{message_id}'),
];

export function noCounts(): Record<Route, number> {
  return Object.fromEntries(ROUTES.map(({ route }) => [route, 0])) as Record<Route, number>;
}

function known(route: Route, method: string, path: string, token = true): Known {
  const form = path.replaceAll(/\{\w+_token\}/g, '[^/]+').replaceAll(/\{\w+\}/g, '\\d{17,20}');
  return { route, method, path, form: new RegExp(`^${form}$`), token };
}
