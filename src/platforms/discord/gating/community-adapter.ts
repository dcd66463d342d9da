import { PermissionFlagsBits, RequestMethod, Routes } from 'discord.js';
import { type LogFields, type Logger, Recent } from '#base';
import type { Command } from '#commands/answering';
import {
  type ChangeOutcome,
  type CommunityAdapter,
  type Inspection,
  isRuleRefusal,
  type RuleBlocker,
  unknownCodeIn,
} from '#gating';
import type { PermissionsOf } from '#platforms/discord/interactions/caller';
import { isSnowflake } from '#platforms/discord/limits';
import { errorFields } from '#platforms/discord/logging';
import { isRefusal } from '#platforms/discord/rest/bot-rest';
import { GateApi, type GateApiOptions, type SignedIn } from './api.ts';
import { ChannelPosts, POSTED_ONCE_SECONDS } from './channel-posts.ts';
import { Guilds, Members, permissionsIn, permissionsInChannel } from './guilds.ts';
import { createHandLog } from './hand-log.ts';
import { BotOwner, inspectRole, powersInChannels, roleBlockersOf } from './inspect.ts';
import { auditReason, createRoleMaking, REJECTED, refusalIn } from './roles.ts';

interface AdapterOptions extends GateApiOptions {
  readonly commands: readonly Command[];
  /** Whether the operator has enabled the Server Members Intent. */
  readonly membersIntent: boolean;
  /** Whether Discord reports a server's events to this process now, which it does over the gateway alone. */
  readonly hasEvents: (guild: string) => boolean;
}

interface DiscordCommunityAdapter extends CommunityAdapter {
  readonly permissionsOf: PermissionsOf;
  /** Starts sending; until then, everything throws RetryableError. */
  use(signedIn: SignedIn): void;
  /** Looks at a server anew: what was known of it may be over. */
  forget(guild: string): void;
  /** Aborts requests in flight, and sends nothing more. */
  close(): void;
}

/** Grants and removes roles of Discord servers over REST. */
export function createCommunityAdapter(options: AdapterOptions): DiscordCommunityAdapter {
  const { commands, membersIntent, hasEvents, log, clock } = options;
  const api = new GateApi(options);
  const guilds = new Guilds(api, clock);
  const owner = new BotOwner(api, clock);
  const members = new Members(api, guilds);
  const notices = new OperatorNotices(log, clock);
  const posts = new ChannelPosts(api, commands, log);
  const changes = new RoleChanges(api, guilds, notices, log, clock);
  return {
    use: (signedIn) => api.use(signedIn),
    forget: (guild) => guilds.forget(guild),
    close: () => api.close(),
    async permissionsOf(community, account, roles, isNew = false) {
      const mostMs = isNew ? LOOKED_AT_MS : undefined;
      const guild = isSnowflake(community) ? await guilds.recent(community, mostMs) : undefined;
      return guild === undefined ? undefined : permissionsIn(guild, account, roles);
    },
    async inspect(community, grant, maker, isFresh) {
      const found = await inspectRole(api, guilds, owner, community, grant, maker, isFresh);
      if (found.blockers.length === 0) changes.forgive(community, grant);
      notices.found(community, grant, found);
      return found;
    },
    powersInChannels: async (community) =>
      isSnowflake(community) ? await powersInChannels(api, community) : new Set(),
    member: (community, account, isFresh) => members.one(community, account, isFresh),
    moderates: (community, account) => members.moderates(community, account),
    isBot: (_community, account) => members.isBot(account),
    members: (community, signal) =>
      membersIntent && isSnowflake(community) ? members.all(community, signal) : undefined,
    give: (...given) => changes.give(...given),
    take: (...given) => changes.take(...given),
    ...createRoleMaking(api, guilds, owner, log),
    handLog: createHandLog(api, guilds, hasEvents),
    invite: async () => undefined,
    async locale(community) {
      const guild = isSnowflake(community) ? await guilds.recent(community) : undefined;
      return guild?.locale;
    },
    async communityName(community) {
      const guild = isSnowflake(community) ? await guilds.recent(community) : undefined;
      return guild?.name;
    },
    async report(_community, channel, card, key) {
      const written = await posts.write(channel, card, key);
      return 'refused' in written ? written.refused : true;
    },
    postsOnceFor: POSTED_ONCE_SECONDS,
    post: (_community, channel, card, key) => posts.write(channel, card, key),
    editPost: (_community, channel, message, card) => posts.edit(channel, message, card),
    deletePost: (_community, channel, message) => posts.remove(channel, message),
    async canPost(community, channel) {
      const overwrites = await posts.overwritesOf(channel);
      if (typeof overwrites === 'string') return overwrites;
      if (!isSnowflake(community)) return true;
      const [guild, self] = await Promise.all([
        guilds.recent(community, LOOKED_AT_MS),
        guilds.self(community, LOOKED_AT_MS),
      ]);
      if (guild === undefined || self === undefined) return true;
      const rights = permissionsInChannel(guild, api.botId, self.roles, overwrites);
      return (rights & WRITING) === WRITING ? true : 'channel-closed';
    },
    async otherPlaces(community) {
      const guild = isSnowflake(community) ? await guilds.recent(community) : undefined;
      return guild?.places ?? [];
    },
  };
}

/** Milliseconds during which we don't retry a role that Discord refused. */
const REFUSED_MS = 60_000;
const MOST = 10_000;
/** What a channel must permit before anything can be posted. */
const WRITING = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages;
/** Milliseconds for which what a role permits is cached. */
const LOOKED_AT_MS = 5_000;

/** Grants and removes roles. */
class RoleChanges {
  readonly #api: GateApi;
  readonly #guilds: Guilds;
  /** Too many rejections block the IP address: a refusal for one member counts for all. */
  readonly #refused: Recent<ChangeOutcome>;
  readonly #log: Logger;
  readonly #notices: OperatorNotices;

  constructor(
    api: GateApi,
    guilds: Guilds,
    notices: OperatorNotices,
    log: Logger,
    clock: () => number,
  ) {
    this.#api = api;
    this.#notices = notices;
    this.#log = log;
    this.#guilds = guilds;
    this.#refused = new Recent(REFUSED_MS, MOST, clock);
  }

  async give(
    community: string,
    account: string,
    role: string,
    reason: string,
  ): Promise<ChangeOutcome> {
    if (await this.#isUnfit(community, role)) return 'not-allowed';
    return await this.#change(RequestMethod.Put, community, account, role, reason);
  }

  async take(
    community: string,
    account: string,
    role: string,
    reason: string,
  ): Promise<ChangeOutcome> {
    return await this.#change(RequestMethod.Delete, community, account, role, reason);
  }

  /** The role was inspected, and nothing prevents it any more. */
  forgive(community: string, role: string): void {
    this.#refused.delete(`${community} ${role}`);
  }

  /** Roles change: one that was harmless when its rule was created may have gained permissions since. */
  async #isUnfit(community: string, id: string): Promise<boolean> {
    if (!isSnowflake(community)) return false;
    const role = (await this.#guilds.recent(community, LOOKED_AT_MS))?.roles.get(id);
    return role !== undefined && roleBlockersOf(role).length > 0;
  }

  /** What only the operator can mend, or look into, is in their log. */
  #report(error: unknown, outcome: ChangeOutcome, community: string, role: string): void {
    if (outcome === 'needs-2fa') this.#notices.say(outcome, community, role, errorFields(error));
    else if (unknownCodeIn(outcome) !== undefined) {
      this.#log.warn(errorFields(error), REJECTED);
    }
  }

  async #change(
    method: RequestMethod,
    community: string,
    account: string,
    role: string,
    reason: string,
  ): Promise<ChangeOutcome> {
    if (!isSnowflake(community) || !isSnowflake(role)) return 'no-role';
    if (!isSnowflake(account)) return 'left';
    const key = `${community} ${role}`;
    const refused = this.#refused.get(key);
    if (refused !== undefined) return refused;
    try {
      const fullRoute = Routes.guildMemberRole(community, account, role);
      await this.#api.request({ method, fullRoute, reason: auditReason(reason) });
      return 'done';
    } catch (error) {
      const outcome = refusalIn(error);
      if (outcome === undefined) throw error;
      if (isRuleRefusal(outcome) && isRefusal(error) && error.status === 403) {
        this.#refused.set(key, outcome);
      }
      this.#report(error, outcome, community, role);
      return outcome;
    }
  }
}

/** Milliseconds after which the log may name the same blocker of a role again. */
const AGAIN_MS = 3_600_000;
const NOTICES_KEPT = 1_000;

/** Obstacles that only the operator can mend. */
const MENDED_BY_OPERATOR = {
  'needs-2fa':
    "Discord: a server demands two-factor authentication, and the account that owns this bot doesn't have it; turn it on for that account",
  'unknown-role-property':
    "Discord: a role has a property or a permission that this version doesn't know, so rules don't grant it; update Fathom",
} as const satisfies Partial<Record<RuleBlocker, string>>;

type MendedByOperator = keyof typeof MENDED_BY_OPERATOR;

/** Names in the log what keeps rules from working and moderators can't mend, once an hour. */
class OperatorNotices {
  readonly #log: Logger;
  readonly #said: Recent<true>;

  constructor(log: Logger, clock: () => number) {
    this.#log = log;
    this.#said = new Recent(AGAIN_MS, NOTICES_KEPT, clock);
  }

  /** What a look at a role has found. */
  found(community: string, role: string, { blockers }: Inspection): void {
    for (const blocker of Object.keys(MENDED_BY_OPERATOR) as MendedByOperator[]) {
      if (blockers.includes(blocker)) this.say(blocker, community, role);
      else this.#said.delete(keyOf(blocker, community, role));
    }
  }

  say(blocker: MendedByOperator, community: string, role: string, fields: LogFields = {}): void {
    const key = keyOf(blocker, community, role);
    if (this.#said.get(key) !== undefined) return;
    this.#said.set(key, true);
    this.#log.error({ guild: community, role, ...fields }, MENDED_BY_OPERATOR[blocker]);
  }
}

function keyOf(blocker: MendedByOperator, community: string, role: string): string {
  return `${blocker} ${community} ${role}`;
}
