import { randomUUID } from 'node:crypto';
import { RequestMethod, Routes } from 'discord.js';
import { type LogFields, type Logger, Recent } from '#base';
import type { Card } from '#command';
import type { Command } from '#commands/answering';
import {
  type ChangeOutcome,
  type CommunityAdapter,
  type Inspection,
  isRuleRefusal,
  type ReportRefusal,
  type RuleBlocker,
  unknownCodeIn,
} from '#gating';
import type { PermissionsOf } from '#platforms/discord/interactions/caller';
import { errorFields } from '#platforms/discord/logging';
import { renderCard, renderPlainly } from '#platforms/discord/render/card';
import { type Upload, uploadOf, withUpload } from '#platforms/discord/render/file';
import { isRefusal } from '#platforms/discord/rest/errors';
import { isSnowflake } from '#platforms/discord/snowflake';
import { GateApi, type GateApiOptions, type SignedIn } from './api.ts';
import { Guilds, Members, permissionsIn } from './guilds.ts';
import { createHandLog } from './hand-log.ts';
import { BotOwner, inspectRole, unfitnessOf } from './inspect.ts';
import { auditReason, refusalIn } from './refusals.ts';
import { createRoleMaking } from './roles.ts';

interface KeeperOptions extends GateApiOptions {
  readonly commands: readonly Command[];
  /** Whether the operator has enabled the Server Members Intent. */
  readonly membersIntent: boolean;
  /** Whether Discord reports events, which it does over the gateway alone. */
  readonly hasEvents: boolean;
}

interface DiscordKeeper extends CommunityAdapter {
  readonly permissionsOf: PermissionsOf;
  /** Starts sending; until then, everything throws RetryableError. */
  use(signedIn: SignedIn): void;
  /** Aborts requests in flight, and sends nothing more. */
  close(): void;
}

/** Grants and removes roles of Discord servers over REST. */
export function createKeeper(options: KeeperOptions): DiscordKeeper {
  const { commands, membersIntent, hasEvents, log, clock } = options;
  const api = new GateApi(options);
  const guilds = new Guilds(api, clock);
  const owner = new BotOwner(api, clock);
  const members = new Members(api, guilds);
  const notices = new OperatorNotices(log, clock);
  const changes = new RoleChanges(api, guilds, notices, log, clock);
  return {
    use: (signedIn) => api.use(signedIn),
    close: () => api.close(),
    async permissionsOf(community, account, roles) {
      const guild = isSnowflake(community) ? await guilds.recent(community) : undefined;
      return guild === undefined ? 0n : permissionsIn(guild, account, roles);
    },
    async inspect(community, grant, maker, isFresh) {
      const found = await inspectRole(api, guilds, owner, community, grant, maker, isFresh);
      if (found.obstacles.length === 0) changes.forgive(community, grant);
      notices.found(community, grant, found);
      return found;
    },
    member: (community, account, isFresh) => members.one(community, account, isFresh),
    moderates: (community, account) => members.moderates(community, account),
    members: (community, signal) =>
      membersIntent && isSnowflake(community) ? members.all(community, signal) : undefined,
    give: (...given) => changes.give(...given),
    take: (...given) => changes.take(...given),
    ...createRoleMaking(api, guilds, owner),
    handLog: createHandLog(api, guilds, hasEvents),
    invite: async () => undefined,
    async locale(community) {
      const guild = isSnowflake(community) ? await guilds.recent(community) : undefined;
      return guild?.locale;
    },
    report: (_community, channel, card, key) => writeReport(api, commands, log, channel, card, key),
    async otherPlaces(community) {
      const guild = isSnowflake(community) ? await guilds.recent(community) : undefined;
      return guild?.places ?? [];
    },
  };
}

/** Maximum length of a nonce. */
const NONCE = 25;
/** Messages can't be sent to that type of channel. */
const NO_TEXT = new Set<number | string>([50008, 50024]);
const UNKNOWN_CHANNEL = 10003;

/**
 * Posts a card to a channel, with buttons for anyone: permissions are checked when one is pressed.
 * @param key identical for all attempts at one report
 * @returns true, or why not
 * @throws RetryableError
 */
async function writeReport(
  api: GateApi,
  commands: readonly Command[],
  log: Logger,
  channel: string,
  card: Card,
  key?: string,
): Promise<true | ReportRefusal> {
  if (!isSnowflake(channel)) return 'channel-gone';
  const onBug = (error: unknown) =>
    log.error(errorFields(error), "bug: Discord can't show a report");
  const context = { commands, owner: undefined, onBug };
  // For some minutes, Discord doesn't post a message twice if its response was lost.
  const once = { nonce: (key ?? randomUUID()).slice(0, NONCE), enforce_nonce: true };
  const send = async (
    render: typeof renderCard,
    upload?: Upload,
  ): Promise<true | ReportRefusal | 'malformed'> => {
    try {
      const fullRoute = Routes.channelMessages(channel);
      const message = { ...render(card, context, { fileName: upload?.name }), ...once };
      const request = withUpload(message, upload);
      await api.request({ method: RequestMethod.Post, fullRoute, ...request });
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      log.warn(errorFields(error), 'Discord rejected a report');
      if (error.code === UNKNOWN_CHANNEL || NO_TEXT.has(error.code)) return 'channel-gone';
      if (error.status !== 400) return 'channel-closed';
      if (render === renderPlainly) throw error;
      return 'malformed';
    }
  };
  const upload = uploadIn(card, onBug);
  // Too large for this server, or not allowed in this channel: the card matters more than its file.
  let outcome = await send(renderCard, upload);
  if (outcome !== true && upload !== undefined) outcome = await send(renderCard);
  if (outcome === 'malformed') outcome = await send(renderPlainly);
  return outcome === 'malformed' ? 'channel-closed' : outcome;
}

/** A button that can't be sent is a bug, and omitted. */
function uploadIn(card: Card, onBug: (error: unknown) => void): Upload | undefined {
  try {
    return uploadOf(card);
  } catch (error) {
    onBug(error);
    return undefined;
  }
}

/** Milliseconds during which we don't retry a role that Discord refused. */
const REFUSED_MS = 60_000;
const MOST = 10_000;
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
    return role !== undefined && unfitnessOf(role).length > 0;
  }

  /** What only the operator can mend, or look into, is in their log. */
  #report(error: unknown, outcome: ChangeOutcome, community: string, role: string): void {
    if (outcome === 'needs-2fa') this.#notices.say(outcome, community, role, errorFields(error));
    else if (unknownCodeIn(outcome) !== undefined) {
      this.#log.warn(errorFields(error), 'Discord: rejected a role change for an unknown reason');
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

/** Milliseconds after which the log may name the same obstacle of a role again. */
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
  found(community: string, role: string, { obstacles }: Inspection): void {
    for (const obstacle of Object.keys(MENDED_BY_OPERATOR) as MendedByOperator[]) {
      if (obstacles.includes(obstacle)) this.say(obstacle, community, role);
      else this.#said.delete(keyOf(obstacle, community, role));
    }
  }

  say(obstacle: MendedByOperator, community: string, role: string, fields: LogFields = {}): void {
    const key = keyOf(obstacle, community, role);
    if (this.#said.get(key) !== undefined) return;
    this.#said.set(key, true);
    this.#log.error({ guild: community, role, ...fields }, MENDED_BY_OPERATOR[obstacle]);
  }
}

function keyOf(obstacle: MendedByOperator, community: string, role: string): string {
  return `${obstacle} ${community} ${role}`;
}
