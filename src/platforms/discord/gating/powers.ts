import { type APIRoleTags, PermissionFlagsBits, RoleFlags } from 'discord.js';
import type { RuleBlocker } from '#gating';
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

/** Permissions that concern only their holder, or what Discord lets everyone do by default. */
const HARMLESS = [
  PermissionFlagsBits.AddReactions,
  PermissionFlagsBits.AttachFiles,
  PermissionFlagsBits.BypassSlowmode,
  PermissionFlagsBits.ChangeNickname,
  PermissionFlagsBits.Connect,
  PermissionFlagsBits.CreateEvents,
  PermissionFlagsBits.CreateGuildExpressions,
  PermissionFlagsBits.CreateInstantInvite,
  PermissionFlagsBits.CreatePrivateThreads,
  PermissionFlagsBits.CreatePublicThreads,
  PermissionFlagsBits.EmbedLinks,
  PermissionFlagsBits.PrioritySpeaker,
  PermissionFlagsBits.ReadMessageHistory,
  PermissionFlagsBits.RequestToSpeak,
  PermissionFlagsBits.SendMessages,
  PermissionFlagsBits.SendMessagesInThreads,
  PermissionFlagsBits.SendPolls,
  PermissionFlagsBits.SendTTSMessages,
  PermissionFlagsBits.SendVoiceMessages,
  PermissionFlagsBits.SetVoiceChannelStatus,
  PermissionFlagsBits.Speak,
  PermissionFlagsBits.Stream,
  PermissionFlagsBits.UseApplicationCommands,
  PermissionFlagsBits.UseEmbeddedActivities,
  PermissionFlagsBits.UseExternalApps,
  PermissionFlagsBits.UseExternalEmojis,
  PermissionFlagsBits.UseExternalSounds,
  PermissionFlagsBits.UseExternalStickers,
  PermissionFlagsBits.UseSoundboard,
  PermissionFlagsBits.UseVAD,
  PermissionFlagsBits.ViewChannel,
  PermissionFlagsBits.ViewGuildInsights,
  // For a chatbot that's gone. Servers made since still have it, and so do new roles, which copy @everyone's.
  1n << 47n,
].reduce((all, each) => all | each, 0n);

/** https://discord.com/developers/docs/topics/permissions#role-object-role-tags-structure */
const TAGS: ReadonlySet<string> = new Set([
  'available_for_purchase',
  'bot_id',
  'guild_connections',
  'integration_id',
  'premium_subscriber',
  'subscription_listing_id',
] satisfies (keyof APIRoleTags)[]);
const FLAGS = BigInt(RoleFlags.InPrompt);

/**
 * What about a role itself, wherever it's placed, keeps a rule from deciding who has it. What Discord has
 * added since this version counts as well: it may be power, or another way to get the role.
 */
export function unfitnessOf({ permissions, flags, tags }: Role): readonly RuleBlocker[] {
  const found: RuleBlocker[] = [];
  if ((flags & BigInt(RoleFlags.InPrompt)) !== 0n) found.push('onboarding-role');
  if (tags.includes('guild_connections')) found.push('linked-role');
  if ((permissions & POWERS) !== 0n) found.push('role-with-power');
  const isUnknown =
    (permissions & ~(POWERS | HARMLESS)) !== 0n ||
    (flags & ~FLAGS) !== 0n ||
    tags.some((tag) => !TAGS.has(tag));
  if (isUnknown) found.push('unknown-role-property');
  return found;
}
