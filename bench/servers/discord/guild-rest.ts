import {
  type Channel,
  MAY,
  MISSING_ACCESS,
  MISSING_PERMISSIONS,
  type StandInGuild,
  UNKNOWN_CHANNEL,
  UNKNOWN_GUILD,
  UNKNOWN_MESSAGE,
} from './guild.ts';
import { snowflake } from './ids.ts';
import type { Reply } from './interaction.ts';
import type { Route } from './routes.ts';
import { filesAfter, type Received } from './uploads.ts';
import { messageOf } from './world.ts';

/** Routes of which the guild's audit log tells. */
const CHANGES: readonly Route[] = ['give', 'take', 'make-role', 'edit-role', 'delete-role'];

type Loose = Readonly<Record<string, unknown>>;

/** A request about a guild or one of its channels. */
export interface GuildRequest {
  readonly route: Route;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly received: Received;
  /** Header with the reason for the guild's audit log. */
  readonly reason: string | undefined;
}

/** What is wrong with a request although Discord's specification doesn't say so. */
export function faultsOfGuildRequest({ route, query, reason }: GuildRequest): string[] {
  const faults: string[] = [];
  const changes = CHANGES.includes(route);
  if (changes && (reason ?? '') === '') faults.push(`${route} without a reason`);
  if (!changes && reason !== undefined) faults.push(`${route} with a reason`);
  if (reason !== undefined && (reason.length > 512 || !/^[\x21-\x7e]*$/.test(reason))) {
    faults.push(`the reason ${reason}`);
  }
  if (route === 'members') {
    const limit = Number(query.get('limit') ?? '1');
    if (!(limit >= 1 && limit <= 1000)) faults.push(`members with limit ${limit}`);
    if (!/^\d{1,20}$/.test(query.get('after') ?? '0')) faults.push(`members after ${query}`);
  } else if (route === 'audit') {
    const { action_type, limit, after, ...others } = Object.fromEntries(query);
    if (action_type !== '25') faults.push(`audit of action ${action_type}`);
    if (!(Number(limit) >= 1 && Number(limit) <= 100)) faults.push(`audit with limit ${limit}`);
    if (!/^\d{1,20}$/.test(after ?? '0')) faults.push(`audit after ${after}`);
    if (Object.keys(others).length > 0) faults.push(`audit with ${query}`);
  } else if (query.size > 0) faults.push(`${route} with ${query}`);
  return faults;
}

/** @param mayList whether the Server Members Intent is on */
export function answerOfGuild(
  guilds: readonly StandInGuild[],
  { route, path, query, received, reason = '' }: GuildRequest,
  mayList: boolean,
): Reply {
  const [, , id = '', , account = '', , role = ''] = path.split('/');
  const owning = guilds.find(({ channels }) => channels.has(id));
  if (route === 'channel') return owning === undefined ? UNKNOWN_CHANNEL : channelOf(owning, id);
  if (route === 'report')
    return owning === undefined ? UNKNOWN_CHANNEL : post(owning, id, received);
  if (route === 'edit-post' || route === 'delete-post') {
    if (owning === undefined) return UNKNOWN_CHANNEL;
    return onPost(owning, id, account, route === 'edit-post' ? received.body : undefined);
  }
  const guild = guilds.find((each) => each.id === id);
  if (guild === undefined) return UNKNOWN_GUILD;
  if (!guild.hasBot) return MISSING_ACCESS;
  switch (route) {
    case 'guild':
      return guild.told();
    case 'member':
      return guild.member(account);
    case 'members':
      if (!mayList) return MISSING_ACCESS;
      return guild.members(query.get('after') ?? '0', Number(query.get('limit') ?? '1'));
    case 'audit':
      return guild.audit(query.get('after') ?? undefined, Number(query.get('limit')));
    case 'make-role':
      return guild.makeRole(received.body as Loose);
    case 'edit-role':
      return guild.renameRole(account, received.body as Loose);
    case 'delete-role':
      return guild.deleteRole(account);
    case 'role-counts':
      return guild.countRoles();
    // All of them, whether or not the bot sees them.
    case 'channels':
      return {
        status: 200,
        body: [...guild.channels.values()].map((each) => channelTold(guild, each)),
      };
    case 'give':
    case 'take':
      return guild.change(route, account, role, decodeURIComponent(reason));
    default:
      throw new Error(`${route} is not about a guild`);
  }
}

/** https://discord.com/developers/docs/resources/channel#get-channel */
function channelOf(guild: StandInGuild, id: string): Reply {
  const channel = guild.channels.get(id);
  if (channel === undefined) return UNKNOWN_CHANNEL;
  if (!guild.hasBot || channel.takes === 'nothing') return MISSING_ACCESS;
  return { status: 200, body: channelTold(guild, channel) };
}

function channelTold(guild: StandInGuild, { id, isReadOnly, gives }: Channel): object {
  const closed = { id: guild.id, type: 0, allow: '0', deny: String(MAY.sendMessages) };
  const given = [...gives].map(([role, allow]) => ({
    ...{ id: role, type: 0 },
    ...{ allow: String(allow), deny: '0' },
  }));
  const permission_overwrites = [...(isReadOnly === true ? [closed] : []), ...given];
  const known = { id, type: 0, flags: 0, guild_id: guild.id, name: 'channel', position: 0 };
  return { ...known, permission_overwrites };
}

/** https://discord.com/developers/docs/resources/message#create-message */
function post(guild: StandInGuild, id: string, { body, files }: Received): Reply {
  const channel = guild.channels.get(id);
  if (channel === undefined) return UNKNOWN_CHANNEL;
  if (!guild.hasBot || channel.takes === 'nothing') return MISSING_ACCESS;
  if (channel.isReadOnly === true) return MISSING_PERMISSIONS;
  if (channel.takes === 'no-files' && files.length > 0) return MISSING_PERMISSIONS;
  const { nonce, enforce_nonce, ...message } = body as Loose;
  const again = channel.messages.find((each) => enforce_nonce === true && each.nonce === nonce);
  const shown = again ?? {
    id: snowflake(),
    body: message,
    files: filesAfter(message, files, [], snowflake),
    hidden: false,
    deleted: false,
    nonce,
  };
  if (again === undefined) channel.messages.push(shown);
  return { status: 200, body: messageOf({ ...shown, channel: id }) };
}

/** @param body what it says from now on; undefined to delete it */
function onPost(guild: StandInGuild, id: string, message: string, body: unknown): Reply {
  const channel = guild.channels.get(id);
  if (channel === undefined) return UNKNOWN_CHANNEL;
  if (!guild.hasBot || channel.takes === 'nothing') return MISSING_ACCESS;
  const place = channel.messages.findIndex((each) => each.id === message);
  const shown = channel.messages[place];
  if (shown === undefined) return UNKNOWN_MESSAGE;
  if (body === undefined) {
    channel.messages.splice(place, 1);
    return { status: 204, body: undefined };
  }
  const edited = { ...shown, body: { ...shown.body, ...(body as Loose) } };
  channel.messages[place] = edited;
  return { status: 200, body: messageOf({ ...edited, channel: id }) };
}
