import { PermissionFlagsBits } from 'discord.js';
import type { Inspection, RuleBlocker } from '#gating';
import { isSnowflake } from '#platforms/discord/snowflake';
import type { GateApi } from './api.ts';
import { askMember, type Guild, type Guilds, permissionsIn, type Role } from './guilds.ts';
import type { BotOwner } from './owner.ts';
import { unfitnessOf } from './powers.ts';

/** Milliseconds for which one fetch serves several roles. */
const RECENT_MS = 5_000;

/**
 * Everything that prevents the bot from granting a role or may prevent it, and the role's name, or its id
 * if it has none.
 * @param maker who wants it granted; Discord lets nobody grant a role that isn't below their own
 * @param isFresh false: the server and the bot's roles may be a few seconds old
 * @throws RetryableError
 */
export async function inspectRole(
  api: GateApi,
  guilds: Guilds,
  owner: BotOwner,
  community: string,
  grant: string,
  maker: string | undefined,
  isFresh = true,
): Promise<Inspection> {
  const { botId } = api;
  const absent = { name: grant, obstacles: ['no-community'] } as const;
  if (!isSnowflake(community)) return absent;
  const [guild, self, asker] = await Promise.all([
    isFresh ? guilds.fresh(community) : guilds.recent(community, RECENT_MS),
    guilds.self(community, isFresh ? 0 : RECENT_MS),
    maker !== undefined && isSnowflake(maker) ? askMember(api, community, maker) : undefined,
  ]);
  if (guild === undefined || self === undefined) return absent;
  const role = guild.roles.get(grant);
  const rights = permissionsIn(guild, botId, self.roles);
  const hasTwoFactor = guild.demandsTwoFactor ? await owner.hasTwoFactor(isFresh) : true;
  const obstacles = [
    ...(role === undefined ? ['no-role' as const] : obstaclesOf(role, guild, self.roles, botId)),
    ...(role !== undefined &&
    maker !== undefined &&
    !mayGive(guild, maker, asker?.roles ?? [], role)
      ? ['role-above-maker' as const]
      : []),
    ...((rights & PermissionFlagsBits.ManageRoles) === 0n ? ['no-manage-roles' as const] : []),
    ...(hasTwoFactor === false ? ['needs-2fa' as const] : []),
  ];
  const name = role?.name ?? grant;
  if (hasTwoFactor !== undefined) return { name, obstacles };
  return { name, obstacles, cautions: ['maybe-needs-2fa'] };
}

function obstaclesOf(
  role: Role,
  guild: Guild,
  own: readonly string[],
  botId: string,
): readonly RuleBlocker[] {
  const found: RuleBlocker[] = [];
  if (role.managed || role.id === guild.id) found.push('managed-role');
  if (!mayGive(guild, botId, own, role)) found.push('role-too-high');
  return [...found, ...unfitnessOf(role)];
}

/** Whether a role is below a member's highest one. A server's owner, even a bot, is above all. */
function mayGive(guild: Guild, account: string, own: readonly string[], role: Role): boolean {
  return guild.ownerId === account || own.some((id) => isAbove(guild.roles.get(id), role));
}

/** Of two roles at the same position, the older one is higher. */
function isAbove(one: Role | undefined, other: Role): boolean {
  if (one === undefined) return false;
  if (one.position !== other.position) return one.position > other.position;
  return BigInt(one.id) < BigInt(other.id);
}
