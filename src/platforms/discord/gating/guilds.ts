import {
  type APIGuildMember,
  type APIOverwrite,
  type APIRole,
  type APIUser,
  GuildMemberFlags,
  GuildMFALevel,
  PermissionFlagsBits,
  type RESTGetAPIGuildMembersResult,
  type RESTGetAPIGuildResult,
  RequestMethod,
  Routes,
} from 'discord.js';
import { BoundedMap, PlatformFault, Recent, type RetryableError } from '#base';
import { type Member, type ReportPlace, UnreachableCommunity } from '#gating';
import { isSnowflake } from '#platforms/discord/limits';
import { isRefusal } from '#platforms/discord/rest/bot-rest';
import type { GateApi } from './api.ts';

/**
 * Whether somebody isn't a full member yet: they haven't passed the server's membership screening, or are a
 * guest, who was asked nothing and may only be in one voice channel. A role would let them in.
 * https://discord.com/developers/docs/resources/guild#guild-member-object
 */
export function isNotYetMember(member: {
  readonly pending?: boolean;
  /** An event may lack them; then the look that follows asks for them. */
  readonly flags?: GuildMemberFlags;
}): boolean {
  const { pending, flags = 0 } = member;
  return pending === true || (flags & GuildMemberFlags.IsGuest) !== 0;
}

/** What gating needs to know of a role. */
export interface Role {
  readonly id: string;
  readonly name: string;
  readonly position: number;
  /** Managed by an integration, which alone grants it. */
  readonly managed: boolean;
  readonly permissions: bigint;
  readonly flags: bigint;
  /** Names of its tags. Some count by being there at all: their value is null. */
  readonly tags: readonly string[];
}

export interface Guild {
  readonly id: string;
  /** Untrusted text. */
  readonly name: string;
  readonly ownerId: string;
  /** The server's own setting, such as `en-US`. */
  readonly locale: string;
  /** Whether it demands two-factor authentication of everyone who moderates, bots' owners included. */
  readonly demandsTwoFactor: boolean;
  /** @everyone has the guild's own id. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Channels where Discord itself posts to moderators, then the one that greets new members. */
  readonly places: readonly ReportPlace[];
}

/** Milliseconds for which roles and the owner are cached. */
const KEPT_MS = 60_000;
const MOST = 100;
const ALL = ~0n;

/** Unknown guild, and no access: the bot isn't there. */
const ABSENT = new Set([10004, 50001]);
/** Unknown member, and unknown user. */
const NO_MEMBER = new Set([10007, 10013]);

/** Servers and their roles, fetched over REST. */
export class Guilds {
  readonly #api: GateApi;
  readonly #kept: Recent<Promise<Guild | undefined>>;
  /** The bot itself as a member. */
  readonly #selves: Recent<Promise<APIGuildMember | undefined>>;

  constructor(api: GateApi, clock: () => number) {
    this.#api = api;
    this.#kept = new Recent(KEPT_MS, MOST, clock);
    this.#selves = new Recent(KEPT_MS, MOST, clock);
  }

  /**
   * The bot as a member.
   * @param mostMs maximum age in milliseconds
   */
  self(id: string, mostMs: number): Promise<APIGuildMember | undefined> {
    const kept = mostMs > 0 ? this.#selves.get(id, mostMs) : undefined;
    if (kept !== undefined) return kept;
    const asked = askMember(this.#api, id, this.#api.botId).catch((error: unknown) => {
      if (error instanceof UnreachableCommunity) return undefined;
      throw error;
    });
    this.#selves.set(id, asked);
    const forget = () => {
      if (this.#selves.get(id) === asked) this.#selves.delete(id);
    };
    // As below: an absence isn't kept.
    asked.then((self) => self === undefined && forget(), forget);
    return asked;
  }

  /** What is known of a server may be over: the bot may have been away, with another role before. */
  forget(id: string): void {
    this.#selves.delete(id);
    this.#kept.delete(id);
  }

  /** Fetches it now. @returns undefined if the bot isn't a member */
  fresh(id: string): Promise<Guild | undefined> {
    const asked = this.#ask(id);
    this.#kept.set(id, asked);
    const forget = () => {
      if (this.#kept.get(id) === asked) this.#kept.delete(id);
    };
    // That the bot isn't there is an answer of this moment: it may be one look's.
    asked.then((guild) => guild === undefined && forget(), forget);
    return asked;
  }

  /**
   * At most a minute old.
   * @param mostMs maximum age in milliseconds, if less
   * @returns undefined if the bot isn't a member
   */
  recent(id: string, mostMs = KEPT_MS): Promise<Guild | undefined> {
    return this.#kept.get(id, mostMs) ?? this.fresh(id);
  }

  async #ask(id: string): Promise<Guild | undefined> {
    try {
      const answer = await this.#api.request({
        method: RequestMethod.Get,
        fullRoute: Routes.guild(id),
      });
      const guild = answer as RESTGetAPIGuildResult;
      const { owner_id: ownerId, preferred_locale: locale, roles } = guild;
      const byId = new Map(roles.map((role) => [role.id, roleOf(role)]));
      const demandsTwoFactor = guild.mfa_level === GuildMFALevel.Elevated;
      const places = placesIn(guild);
      return { id, name: guild.name, ownerId, locale, demandsTwoFactor, roles: byId, places };
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw this.#api.unclear(error);
    }
  }
}

function roleOf({ id, name, position, managed, permissions, flags, tags }: APIRole): Role {
  return {
    id,
    name,
    position,
    managed,
    permissions: BigInt(permissions),
    flags: BigInt(flags ?? 0),
    tags: Object.keys(tags ?? {}),
  };
}

/** https://discord.com/developers/docs/resources/guild#guild-object-guild-structure */
function placesIn(guild: RESTGetAPIGuildResult): readonly ReportPlace[] {
  const forModerators = [guild.public_updates_channel_id, guild.safety_alerts_channel_id];
  const forAll = [guild.system_channel_id];
  const places = (channels: readonly (string | null)[], isPublic: boolean) =>
    [...new Set(channels)].flatMap((channel) => (channel === null ? [] : [{ channel, isPublic }]));
  return [...places(forModerators, false), ...places(forAll, true)];
}

/**
 * A member, as Discord reports them.
 * @returns undefined if they aren't one; only an answer about this very account says so
 * @throws UnreachableCommunity if Discord says that the bot isn't in the server
 * @throws RetryableError for any other refusal: it says nothing about the member
 */
export async function askMember(
  api: GateApi,
  guild: string,
  account: string,
): Promise<APIGuildMember | undefined> {
  try {
    const fullRoute = Routes.guildMember(guild, account);
    return (await api.request({ method: RequestMethod.Get, fullRoute })) as APIGuildMember;
  } catch (error) {
    if (isNoMember(error)) return undefined;
    throw isAbsence(error) ? unreachable() : api.unclear(error);
  }
}

/** What a look into a server throws where Discord doesn't show it to the bot. */
function unreachable(): UnreachableCommunity {
  return new UnreachableCommunity("Discord doesn't show this server to the bot.");
}

/** Whether Discord says that the bot isn't a member of the server. */
function isAbsence(error: unknown): boolean {
  return isRefusal(error) && ABSENT.has(error.code);
}

function isNoMember(error: unknown): boolean {
  return isRefusal(error) && NO_MEMBER.has(error.code);
}

/**
 * A member's permissions in the whole server; all of them for the owner and administrators.
 * https://discord.com/developers/docs/topics/permissions#permission-hierarchy
 */
export function permissionsIn(guild: Guild, account: string, roles: readonly string[]): bigint {
  if (account === guild.ownerId) return ALL;
  const granted = [guild.id, ...roles].reduce(
    (all, role) => all | (guild.roles.get(role)?.permissions ?? 0n),
    0n,
  );
  return (granted & PermissionFlagsBits.Administrator) === 0n ? granted : ALL;
}

/**
 * A member's permissions in a channel: what it says of everybody, of their roles together, then of them.
 * https://discord.com/developers/docs/topics/permissions#permission-overwrites
 */
export function permissionsInChannel(
  guild: Guild,
  account: string,
  roles: readonly string[],
  overwrites: readonly APIOverwrite[],
): bigint {
  const all = permissionsIn(guild, account, roles);
  if (all === ALL) return all;
  return [[guild.id], roles.filter((role) => role !== guild.id), [account]].reduce(
    (rights, ids) => {
      const applying = overwrites.filter(({ id }) => ids.includes(id));
      const denied = applying.reduce((bits, { deny }) => bits | BigInt(deny), 0n);
      const allowed = applying.reduce((bits, { allow }) => bits | BigInt(allow), 0n);
      return (rights & ~denied) | allowed;
    },
    all,
  );
}

/** https://discord.com/developers/docs/resources/guild#list-guild-members */
const PAGE = 1_000;
/** Discord's code for a request that isn't as it must be. */
const INVALID_FORM = 50035;
/**
 * Members who may manage the server, from whom nothing is removed. The owner has all permissions.
 */
const IN_CHARGE = PermissionFlagsBits.Administrator | PermissionFlagsBits.ManageGuild;
/** Those who may decide about roles. */
const MODERATORS = IN_CHARGE | PermissionFlagsBits.ManageRoles;

const BOTS_KEPT = 1_000;

/** Members of servers, and which of them manage one. */
export class Members {
  readonly #api: GateApi;
  readonly #guilds: Guilds;
  /** Whether accounts are bots, which never changes. */
  readonly #bots = new BoundedMap<string, boolean>(BOTS_KEPT);

  constructor(api: GateApi, guilds: Guilds) {
    this.#api = api;
    this.#guilds = guilds;
  }

  /**
   * @param isFresh whether to fetch the permissions of the server's roles as well
   * @returns undefined if they aren't a member
   * @throws UnreachableCommunity if Discord doesn't show the server to the bot
   */
  async one(community: string, account: string, isFresh = false): Promise<Member | undefined> {
    if (!isSnowflake(community) || !isSnowflake(account)) return undefined;
    const [guild, found] = await Promise.all([
      isFresh ? this.#guilds.fresh(community) : this.#guilds.recent(community),
      askMember(this.#api, community, account),
    ]);
    if (found === undefined) return undefined;
    if (guild === undefined) throw unreachable();
    return this.#seen(guild, found);
  }

  /** @throws RetryableError */
  async moderates(community: string, account: string): Promise<boolean> {
    if (!isSnowflake(community) || !isSnowflake(account)) return false;
    const [guild, found] = await Promise.all([
      this.#guilds.recent(community),
      askMember(this.#api, community, account),
    ]);
    if (guild === undefined || found === undefined) return false;
    return (permissionsIn(guild, account, found.roles) & MODERATORS) !== 0n;
  }

  /**
   * Wherever the account is: a member who gave something may have left. Undefined if Discord doesn't know it.
   * @throws RetryableError
   */
  async isBot(account: string): Promise<boolean | undefined> {
    if (!isSnowflake(account)) return undefined;
    const known = this.#bots.get(account);
    if (known !== undefined) return known;
    try {
      const fullRoute = Routes.user(account);
      const found = await this.#api.request({ method: RequestMethod.Get, fullRoute });
      const isBot = (found as APIUser).bot === true;
      this.#bots.set(account, isBot);
      return isBot;
    } catch (error) {
      // A log that names an account which is gone must not be read again and again.
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  /**
   * All members by id, except bots, which have no wallets and need their roles. Ends early when the
   * signal aborts.
   * @throws RetryableError if Discord doesn't list them, or not all of them
   */
  async *all(community: string, signal: AbortSignal): AsyncGenerator<readonly Member[]> {
    for (let after = 0n; !signal.aborted; ) {
      const page = await this.#page(community, after);
      const guild = await this.#guilds.recent(community);
      if (guild === undefined) throw unlisted();
      const people = page.filter(({ user }) => user.bot !== true);
      yield people.map((each) => this.#seen(guild, each));
      if (page.length < PAGE) return;
      const last = page.reduce((most, { user }) => maximum(most, BigInt(user.id)), after);
      if (last === after) throw unlisted();
      after = last;
    }
  }

  async #page(community: string, after: bigint): Promise<RESTGetAPIGuildMembersResult> {
    try {
      const answer = await this.#api.request({
        method: RequestMethod.Get,
        fullRoute: Routes.guildMembers(community),
        query: new URLSearchParams({ limit: String(PAGE), after: String(after) }),
      });
      return answer as RESTGetAPIGuildMembersResult;
    } catch (error) {
      // The intent was disabled since we signed in, or the bot was removed. A body that it can't read is a bug.
      if (isRefusal(error) && error.code !== INVALID_FORM) throw unlisted(error.code);
      throw error;
    }
  }

  #seen(guild: Guild, member: APIGuildMember): Member {
    const { user, nick, roles, joined_at } = member;
    const rights = permissionsIn(guild, user.id, roles);
    const isAdmin = (rights & IN_CHARGE) !== 0n;
    const name = nick ?? user.global_name ?? user.username;
    const joinedAt = secondsOf(joined_at);
    return {
      id: user.id,
      name,
      grants: roles,
      isAdmin,
      joinedAt,
      ...(isNotYetMember(member) && { isPending: true }),
    };
  }
}

/** Guests have no join time. */
function secondsOf(time: string | null): number | undefined {
  const milliseconds = time === null ? Number.NaN : Date.parse(time);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}

/** @param code Discord's, which tells the operator why */
function unlisted(code?: number | string): RetryableError {
  const why = code === undefined ? '' : ` (code ${code})`;
  return new PlatformFault(`Discord doesn't list the members of this server${why}.`);
}

function maximum(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
