import {
  type APIInteraction,
  type APIUser,
  ApplicationIntegrationType,
  CDNRoutes,
  ImageFormat,
  PermissionFlagsBits,
  RouteBases,
} from 'discord.js';
import { UserError } from '#base';
import type { Caller } from '#command';
import { createdAt } from '#platforms/discord/limits';

/**
 * A member's server-wide permissions, from their roles; undefined if Discord doesn't show the server to the bot.
 * @param isNew whether roles may have changed just now
 * @throws RetryableError if Discord is unavailable
 */
export type PermissionsOf = (
  guild: string,
  account: string,
  roles: readonly string[],
  isNew?: boolean,
) => Promise<bigint | undefined>;

const { Administrator, ManageGuild, ManageRoles } = PermissionFlagsBits;

/**
 * The caller, and the server if we're installed there. Users can bring a command of their own
 * account to any server.
 */
export function callerOf(interaction: APIInteraction): Caller {
  const user = interaction.member?.user ?? interaction.user;
  const { guild_id: guild, authorizing_integration_owners: owners } = interaction;
  // https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-authorizing-integration-owners-object
  const isInstalled = owners?.[ApplicationIntegrationType.GuildInstall] === guild;
  return {
    platform: 'discord',
    id: user?.id ?? '',
    name: user?.global_name ?? user?.username,
    username: user?.username,
    avatar: avatarOf(user),
    community: isInstalled ? guild : undefined,
    joinedAt: isInstalled ? (interaction.member?.joined_at ?? undefined) : undefined,
    askedAt: Math.floor(createdAt(interaction.id) / 1000),
  };
}

/** https://discord.com/developers/docs/reference#image-formatting */
function avatarOf(user: APIUser | undefined): string | undefined {
  if (user === undefined || user.avatar === null) return undefined;
  return `${RouteBases.cdn}${CDNRoutes.userAvatar(user.id, user.avatar, ImageFormat.PNG)}?size=64`;
}

/**
 * Whether the caller may manage roles in the server, or has higher permissions. The interaction's
 * permissions apply to the channel, where the same bit only allows changing who sees it; so if
 * that's all they have, it must come from a role.
 * https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags
 * @throws RetryableError
 * @throws UserError `gate-bot-away` if that can't be seen
 */
export async function isModerator(
  { member, guild_id: guild }: APIInteraction,
  permissionsOf: PermissionsOf,
): Promise<boolean> {
  if (member === undefined || guild === undefined) return false;
  const here = BigInt(member.permissions);
  if ((here & (Administrator | ManageGuild)) !== 0n) return true;
  if ((here & ManageRoles) === 0n) return false;
  const may = async (isNew: boolean) => {
    const everywhere = await permissionsOf(guild, member.user.id, member.roles, isNew);
    if (everywhere === undefined) {
      throw new UserError('gate-bot-away', "The bot isn't in this server.");
    }
    return (everywhere & ManageRoles) !== 0n;
  };
  // One of their roles may be newer than what is cached, or have that right since.
  return (await may(false)) || (await may(true));
}
