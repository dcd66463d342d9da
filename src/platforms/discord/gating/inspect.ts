import {
  type APIRoleTags,
  type APITextChannel,
  PermissionFlagsBits,
  type RESTGetAPICurrentUserResult,
  RequestMethod,
  RoleFlags,
  Routes,
} from 'discord.js';
import { Recent } from '#base';
import type { Caution, Inspection, RuleBlocker } from '#gating';
import { isSnowflake } from '#platforms/discord/limits';
import { isRefusal } from '#platforms/discord/rest/bot-rest';
import type { GateApi } from './api.ts';
import { askMember, type Guild, type Guilds, permissionsIn, type Role } from './guilds.ts';

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
  const absent = { name: grant, blockers: ['no-community'] } as const;
  if (!isSnowflake(community)) return absent;
  const isDecided = maker !== undefined && isSnowflake(maker);
  const [guild, self, asker] = await Promise.all([
    isFresh ? guilds.fresh(community) : guilds.recent(community, RECENT_MS),
    guilds.self(community, isFresh ? 0 : RECENT_MS),
    isDecided ? askMember(api, community, maker) : undefined,
  ]);
  if (guild === undefined || self === undefined) return absent;
  const role = guild.roles.get(grant);
  const { lacks, cautions } = await botStandingOf(guild, self.roles, botId, owner, isFresh);
  const blockers = [
    ...(role === undefined ? ['no-role' as const] : blockersOf(role, guild, self.roles, botId)),
    ...(role !== undefined &&
    maker !== undefined &&
    !mayGive(guild, maker, asker?.roles ?? [], role)
      ? ['role-above-maker' as const]
      : []),
    ...lacks,
  ];
  const name = role?.name ?? grant;
  return cautions.length === 0 ? { name, blockers } : { name, blockers, cautions };
}

/**
 * What the bot lacks in a server, whatever the role, and what it should have besides.
 * @param own the bot's roles
 * @throws RetryableError
 */
export async function botStandingOf(
  guild: Guild,
  own: readonly string[],
  botId: string,
  owner: BotOwner,
  isFresh: boolean,
): Promise<{ readonly lacks: readonly RuleBlocker[]; readonly cautions: readonly Caution[] }> {
  const rights = permissionsIn(guild, botId, own);
  const hasTwoFactor = guild.demandsTwoFactor ? await owner.hasTwoFactor(isFresh) : true;
  const { ManageRoles, ViewAuditLog } = PermissionFlagsBits;
  return {
    lacks: [
      ...((rights & ManageRoles) === 0n ? ['no-manage-roles' as const] : []),
      ...(hasTwoFactor === false ? ['needs-2fa' as const] : []),
    ],
    cautions: [
      ...(hasTwoFactor === undefined ? ['maybe-needs-2fa' as const] : []),
      ...((rights & ViewAuditLog) === 0n ? ['no-audit-log' as const] : []),
    ],
  };
}

function blockersOf(
  role: Role,
  guild: Guild,
  own: readonly string[],
  botId: string,
): readonly RuleBlocker[] {
  const found: RuleBlocker[] = [];
  if (isIntegrated(role) || role.id === guild.id) found.push('managed-role');
  if (!mayGive(guild, botId, own, role)) found.push('role-too-high');
  return [...found, ...roleBlockersOf(role)];
}

/** Whether a role is below a member's highest one. A server's owner, even a bot, is above all. */
function mayGive(guild: Guild, account: string, own: readonly string[], role: Role): boolean {
  return guild.ownerId === account || own.some((id) => isAbove(guild.roles.get(id), role));
}

/** Whether roles that the bot makes are below its own: Discord puts them right above everybody's. */
export function isAboveNewRoles(guild: Guild, own: readonly string[], botId: string): boolean {
  const isPlaced = (id: string) => (guild.roles.get(id)?.position ?? 0) > 0;
  return guild.ownerId === botId || own.some(isPlaced);
}

/** Where two roles have the same position, the older one is higher. */
function isAbove(one: Role | undefined, other: Role): boolean {
  if (one === undefined) return false;
  if (one.position !== other.position) return one.position > other.position;
  return BigInt(one.id) < BigInt(other.id);
}

const ONLY = '';

/** The account that owns the bot's application. Servers may demand two-factor authentication of it. */
export class BotOwner {
  readonly #api: GateApi;
  readonly #kept: Recent<boolean | undefined>;

  constructor(api: GateApi, clock: () => number) {
    this.#api = api;
    this.#kept = new Recent(RECENT_MS, 1, clock);
  }

  /**
   * Whether it has two-factor authentication, which Discord says of the bot itself.
   * https://discord.com/developers/docs/resources/user#user-object
   * @returns undefined if Discord doesn't say
   */
  async hasTwoFactor(isFresh: boolean): Promise<boolean | undefined> {
    const kept = isFresh ? undefined : this.#kept.get(ONLY);
    if (kept !== undefined) return kept;
    const asked = await this.#ask();
    this.#kept.set(ONLY, asked);
    return asked;
  }

  async #ask(): Promise<boolean | undefined> {
    try {
      const answer = await this.#api.request({
        method: RequestMethod.Get,
        fullRoute: Routes.user(),
      });
      const { mfa_enabled: has } = answer as Partial<RESTGetAPICurrentUserResult>;
      return typeof has === 'boolean' ? has : undefined;
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }
}

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

/**
 * The roles to which channels give power there, which the roles' own permissions don't show. Somebody has chosen that
 * for these channels, so it's worth a word to who decides about a role, and no obstacle.
 * @returns undefined if Discord doesn't say
 * @throws RetryableError
 */
export async function powersInChannels(
  api: GateApi,
  guild: string,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const fullRoute = Routes.guildChannels(guild);
    const answer = await api.request({ method: RequestMethod.Get, fullRoute });
    const overwrites = (answer as readonly Partial<APITextChannel>[]).flatMap(
      (channel) => channel.permission_overwrites ?? [],
    );
    // One that Discord has added since this version may be power.
    const powerful = overwrites.filter(({ allow }) => (BigInt(allow) & ~HARMLESS) !== 0n);
    return new Set(powerful.map(({ id }) => id));
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** https://discord.com/developers/docs/topics/permissions#role-object-role-tags-structure */
const LINKED: keyof APIRoleTags = 'guild_connections';
/** Of roles that bots have, that are sold, or that come with boosts. */
const INTEGRATED: ReadonlySet<string> = new Set([
  'available_for_purchase',
  'bot_id',
  'integration_id',
  'premium_subscriber',
  'subscription_listing_id',
] satisfies (keyof APIRoleTags)[]);
const FLAGS = BigInt(RoleFlags.InPrompt);

function isIntegrated({ managed, tags }: Role): boolean {
  return managed || tags.some((tag) => INTEGRATED.has(tag));
}

/**
 * What about a role itself, wherever it's placed, keeps a rule from deciding who has it. What Discord has
 * added since this version counts as well: it may be power, or another way to get the role.
 */
export function roleBlockersOf({ permissions, flags, tags }: Role): readonly RuleBlocker[] {
  const found: RuleBlocker[] = [];
  if ((flags & BigInt(RoleFlags.InPrompt)) !== 0n) found.push('onboarding-role');
  if (tags.includes(LINKED)) found.push('linked-role');
  if ((permissions & POWERS) !== 0n) found.push('role-with-power');
  const isUnknown =
    (permissions & ~(POWERS | HARMLESS)) !== 0n ||
    (flags & ~FLAGS) !== 0n ||
    tags.some((tag) => tag !== LINKED && !INTEGRATED.has(tag));
  if (isUnknown) found.push('unknown-role-property');
  return found;
}
