import type { IIdentifyThrottler } from '@discordjs/ws';
import {
  type APIInteraction,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type GatewayGuildAuditLogEntryCreateDispatchData,
  type GatewayGuildMemberAddDispatchData,
  type GatewayGuildMemberUpdateDispatchData,
  GatewayIntentBits,
} from 'discord.js';
import type { Logger } from '#base';
import type { GateEvents } from '#gating';
import { handEntryOf } from '#platforms/discord/hand-changes';
import { errorFields } from '#platforms/discord/logging';
import { isNotYetMember } from '#platforms/discord/pending';
import type { BotRest } from '#platforms/discord/rest/bot-rest';
import {
  type Fault,
  faultOf,
  faultOfClose,
  isFinalClose,
  OTHER_PLAN,
  tooManySignIns,
  unreachable,
} from './faults.ts';
import { askGateway, type GatewayPlan, isSamePlan, type ShardSet } from './plan.ts';
import { GatewayRelay } from './relay.ts';
import { GatewayShards } from './shards.ts';
import type { SignIns } from './sign-ins.ts';
import type { Timings } from './timings.ts';

export interface ConnectionOptions {
  readonly rest: BotRest;
  /** The shards to connect. */
  readonly set: ShardSet;
  readonly signIns: SignIns;
  readonly timings: Timings;
  readonly log: Logger;
  /** Whether to request member events; Discord rejects this unless the intent is enabled. */
  readonly membersIntent: boolean;
  readonly gate:
    | Pick<GateEvents, 'joined' | 'left' | 'changed' | 'handChanged' | 'grantChanged' | 'renamed'>
    | undefined;
  /** Called with servers whose events may have been missed. Must not throw. */
  readonly onMissed: (guilds: readonly string[]) => void;
  /** Must not throw. */
  readonly onInteraction: (interaction: APIInteraction) => void;
  /** Called with true when the gateway starts to deliver, and false when it stops. */
  readonly onUp: (up: boolean) => void;
}

const RETRIES = 1;
/** Without asking the operator. */
const INTENTS = GatewayIntentBits.Guilds | GatewayIntentBits.GuildModeration;

/** What an event says about a member. */
function changeOf(
  member: GatewayGuildMemberUpdateDispatchData | GatewayGuildMemberAddDispatchData,
): Parameters<GateEvents['changed']> {
  const { guild_id: id, user, roles } = member;
  return [{ platform: 'discord', id }, user.id, roles, isNotYetMember(member)];
}

/**
 * One connection of some shards: they sign in, resume on their own after drops, and end for good
 * with the reason they can't continue. It's then replaced by another; an ended one is never reused.
 */
export class Connection {
  /** Resolves when it can't continue. */
  readonly ended: Promise<Fault>;
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  /** Shards that are not connected. */
  readonly #away: Set<number>;
  readonly #relay = new GatewayRelay((fault) => this.#bar(fault));
  #botId: string | undefined;
  #shards: GatewayShards | undefined;
  #end: (fault: Fault) => void = () => {};
  #watch: NodeJS.Timeout | undefined;
  /** Shards waiting for their turn to sign in. */
  #queueing = 0;
  #up = false;
  #wasUp = false;
  #lastError: unknown;
  /** Why the proxy doesn't lead to the gateway. */
  #barred: Fault | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#away = new Set(options.set.ids);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#startWatch();
    this.#connect().catch((error) => this.#end(faultOf(error)));
  }

  /** Signs off, within a second or two whatever the other side does. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#stopWatch();
    this.#setUp(false);
    try {
      await this.#shards?.end();
    } catch (error) {
      this.#options.log.debug(errorFields(error), 'Discord: the connection did not close cleanly');
    }
    this.#relay.close();
  }

  async #connect(): Promise<void> {
    const { rest, set, membersIntent, log } = this.#options;
    const { signal } = this.#closing;
    const { gateway, plan } = await askGateway(rest, signal, RETRIES);
    if (signal.aborted) return;
    if (!isSamePlan(plan, set.plan)) return this.#end(OTHER_PLAN);
    const { remaining, reset_after } = gateway.session_start_limit;
    if (remaining < set.ids.length) return this.#end(tooManySignIns(reset_after));
    await this.#relay.open();
    if (signal.aborted) return;
    this.#shards = new GatewayShards({
      token: rest.token,
      gateway,
      wayTo: (url) => this.#relay.wayTo(url),
      set,
      intents: INTENTS | (membersIntent ? GatewayIntentBits.GuildMembers : 0),
      throttler: this.#throttler(plan),
      onDispatch: (payload) => this.#dispatch(payload),
      onReady: (id) => this.#back(id),
      onClosed: (id, code) => {
        if (isFinalClose(code)) this.#end(faultOfClose(code, membersIntent));
        this.#gone(id);
      },
      onError: (error) => {
        this.#lastError = error;
        log.debug(errorFields(error), 'Discord: gateway error');
      },
    });
    await this.#shards.connect();
  }

  /** Bots come and go with their integrations; rules don't apply to them. */
  #dispatch(event: GatewayDispatchPayload): void {
    if (this.#closing.signal.aborted) return;
    const { gate, onMissed, onInteraction } = this.#options;
    const community = (id: string) => ({ platform: 'discord', id }) as const;
    switch (event.t) {
      case GatewayDispatchEvents.InteractionCreate:
        onInteraction(event.d as APIInteraction);
        break;
      case GatewayDispatchEvents.GuildMemberAdd:
        if (event.d.user.bot === true) break;
        // Before they're looked at, so that passing the screening can't be missed.
        if (isNotYetMember(event.d)) gate?.changed(...changeOf(event.d));
        gate?.joined(community(event.d.guild_id), event.d.user.id);
        break;
      case GatewayDispatchEvents.GuildMemberUpdate:
        if (event.d.user.bot !== true) gate?.changed(...changeOf(event.d));
        break;
      case GatewayDispatchEvents.GuildMemberRemove:
        if (event.d.user.bot !== true) gate?.left(community(event.d.guild_id), event.d.user.id);
        break;
      case GatewayDispatchEvents.Ready:
        this.#botId = event.d.user.id;
        // A new session: nothing is delivered of what was before it.
        onMissed(event.d.guilds.map(({ id }) => id));
        break;
      case GatewayDispatchEvents.GuildCreate:
        // After an outage, or as the bot is invited: what was before it is told by nobody.
        onMissed([event.d.id]);
        break;
      case GatewayDispatchEvents.GuildAuditLogEntryCreate:
        this.#handChanged(event.d);
        break;
      case GatewayDispatchEvents.GuildRoleUpdate:
        gate?.renamed(community(event.d.guild_id), event.d.role.id, event.d.role.name);
        gate?.grantChanged(community(event.d.guild_id), event.d.role.id);
        break;
      case GatewayDispatchEvents.GuildRoleDelete:
        gate?.grantChanged(community(event.d.guild_id), event.d.role_id);
        break;
    }
  }

  #handChanged(entry: GatewayGuildAuditLogEntryCreateDispatchData): void {
    const found = handEntryOf(entry, this.#botId);
    if (found.changes.length === 0) return;
    const community = { platform: 'discord', id: entry.guild_id } as const;
    this.#options.gate?.handChanged(community, found);
  }

  /** Lets a shard sign in when it's its turn; until then it isn't waiting for the network. */
  #throttler(plan: GatewayPlan): IIdentifyThrottler {
    const { signIns } = this.#options;
    const tooMany = (wait: number) => this.#end(tooManySignIns(wait));
    const throttler = signIns.throttler(plan.concurrency, tooMany);
    return {
      waitForIdentify: async (shard, signal) => {
        this.#queueing += 1;
        this.#stopWatch();
        try {
          await throttler.waitForIdentify(shard, signal);
        } finally {
          this.#queueing -= 1;
          if (!this.#up) this.#startWatch();
        }
      },
    };
  }

  #gone(id: number): void {
    this.#away.add(id);
    this.#setUp(false);
    this.#startWatch();
  }

  #back(id: number): void {
    this.#away.delete(id);
    if (this.#away.size > 0 || this.#closing.signal.aborted) return;
    this.#stopWatch();
    this.#setUp(true);
  }

  #setUp(up: boolean): void {
    if (this.#up === up) return;
    this.#up = up;
    this.#wasUp ||= up;
    if (up) this.#barred = undefined;
    this.#options.onUp(up);
  }

  /** A session that was there can be resumed for a while: a proxy may just be starting again. */
  #bar(fault: Fault): void {
    if (this.#wasUp) this.#barred = fault;
    else this.#end(fault);
  }

  /** discord.js retries twice a second forever; after a while we switch to longer delays. */
  #startWatch(): void {
    // Signing off looks like a drop, and nothing waits for its end.
    if (this.#closing.signal.aborted || this.#queueing > 0) return;
    this.#watch ??= setTimeout(
      () => this.#end(this.#barred ?? unreachable(this.#lastError)),
      this.#options.timings.away,
    );
  }

  #stopWatch(): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
  }
}
