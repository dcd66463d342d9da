import { PermissionFlagsBits } from 'discord.js';
import type { Role } from './guilds.ts';

/**
 * Permissions over others or the server, which outside figures must not grant: those for which
 * Discord requires two-factor authentication of moderators, and all others by which one member acts
 * on another.
 * https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags
 */
const POWERS = [
  PermissionFlagsBits.Administrator,
  PermissionFlagsBits.BanMembers,
  PermissionFlagsBits.KickMembers,
  PermissionFlagsBits.ManageChannels,
  PermissionFlagsBits.ManageEvents,
  PermissionFlagsBits.ManageGuild,
  PermissionFlagsBits.ManageGuildExpressions,
  PermissionFlagsBits.ManageMessages,
  PermissionFlagsBits.ManageNicknames,
  PermissionFlagsBits.ManageRoles,
  PermissionFlagsBits.ManageThreads,
  PermissionFlagsBits.ManageWebhooks,
  PermissionFlagsBits.MentionEveryone,
  PermissionFlagsBits.ModerateMembers,
  PermissionFlagsBits.MoveMembers,
  PermissionFlagsBits.MuteMembers,
  PermissionFlagsBits.DeafenMembers,
  PermissionFlagsBits.PinMessages,
  PermissionFlagsBits.ViewAuditLog,
  PermissionFlagsBits.ViewCreatorMonetizationAnalytics,
].reduce((all, each) => all | each, 0n);

/** Whether the role permits acting on others. */
export function hasPower({ permissions }: Role): boolean {
  return (permissions & POWERS) !== 0n;
}
