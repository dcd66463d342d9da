import { PermissionFlagsBits } from 'discord.js';
import type { Obstacle } from '#core/gating/keeper';
import { isSnowflake } from '#platforms/discord/snowflake';
import type { GateApi } from './api.ts';
import { askMember, type Guild, type Guilds, permissionsIn, type Role } from './guilds.ts';

const {
  Administrator,
  BanMembers,
  KickMembers,
  ManageChannels,
  ManageGuild,
  ManageRoles,
  ManageWebhooks,
  ModerateMembers,
} = PermissionFlagsBits;

/** Rights over others, or over the server: figures from outside must not decide who has them. */
const POWERS =
  Administrator |
  BanMembers |
  KickMembers |
  ManageChannels |
  ManageGuild |
  ManageRoles |
  ManageWebhooks |
  ModerateMembers;

/**
 * Everything that keeps the bot from giving a role, and the role's name, or its id if it has none.
 * @throws RetryableError
 */
export async function inspectRole(
  api: GateApi,
  guilds: Guilds,
  community: string,
  grant: string,
): Promise<{ readonly name: string; readonly obstacles: readonly Obstacle[] }> {
  const { botId } = api;
  const absent = { name: grant, obstacles: ['no-community'] } as const;
  if (!isSnowflake(community)) return absent;
  const [guild, self] = await Promise.all([
    guilds.fresh(community),
    askMember(api, community, botId),
  ]);
  if (guild === undefined || self === undefined) return absent;
  const role = guild.roles.get(grant);
  const rights = permissionsIn(guild, botId, self.roles);
  const obstacles = [
    ...(role === undefined ? ['no-role' as const] : obstaclesOf(role, guild, self.roles, botId)),
    ...((rights & ManageRoles) === 0n ? ['no-manage-roles' as const] : []),
  ];
  return { name: role?.name ?? grant, obstacles };
}

function obstaclesOf(
  role: Role,
  guild: Guild,
  own: readonly string[],
  botId: string,
): readonly Obstacle[] {
  const found: Obstacle[] = [];
  if (role.managed || role.id === guild.id) found.push('managed-role');
  // A server's owner is above all roles, be it a bot.
  const isBelow = guild.ownerId === botId || own.some((id) => isAbove(guild.roles.get(id), role));
  if (!isBelow) found.push('role-too-high');
  if ((role.permissions & POWERS) !== 0n) found.push('role-with-power');
  return found;
}

/** Of two roles in one place, the older one is above. */
function isAbove(one: Role | undefined, other: Role): boolean {
  if (one === undefined) return false;
  if (one.position !== other.position) return one.position > other.position;
  return BigInt(one.id) < BigInt(other.id);
}
