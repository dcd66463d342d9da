import {
  DefaultWebSocketManagerOptions,
  type IIdentifyThrottler,
  type SessionInfo,
  WebSocketShard,
  WebSocketShardEvents,
} from '@discordjs/ws';
import {
  type APIGatewayBotInfo,
  type APIInteraction,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type GatewayGuildAuditLogEntryCreateDispatchData,
  type GatewayGuildMemberAddDispatchData,
  type GatewayGuildMemberUpdateDispatchData,
  GatewayIntentBits,
} from 'discord.js';
import type { Logger } from '#base';
import { within } from '#base/waiting';
import type { GateEvents } from '#gating';
import { isNotYetMember } from '#platforms/discord/gating/guilds';
import { handEntryOf, showsAuditLog } from '#platforms/discord/gating/hand-log';
import { errorFields } from '#platforms/discord/logging';
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
import type { SignIns } from './sign-ins.ts';
import type { Timings } from './timings.ts';

/** How long the other side may take to confirm closing a socket. */
const CLOSING_MS = 1_000;

export interface GatewayShardsOptions {
  readonly token: string;
  readonly gateway: APIGatewayBotInfo;
  /** The URL to connect to in place of one that Discord gives; what it returned leads to itself. */
  readonly wayTo: (gateway: string) => string;
  /** The shards to connect, and no others. */
  readonly set: ShardSet;
  /** A bit field. */
  readonly intents: GatewayIntentBits;
  readonly throttler: IIdentifyThrottler;
  /** Must not throw. */
  readonly onDispatch: (payload: GatewayDispatchPayload) => void;
  /** A shard signed in or resumed its session. */
  readonly onReady: (shard: number) => void;
  readonly onClosed: (shard: number, code: number) => void;
  /** After its first `onReady`, a shard reconnects on its own. */
  readonly onError: (error: unknown) => void;
}

/**
 * The sockets of some shards. discord.js's shards reconnect and resume on their own; this class
 * ends them for good. Otherwise a shard told to end while it waits to reconnect finds no open
 * socket to close and connects half a second later, and one whose other side doesn't respond delays
 * the end by 30 seconds.
 */
export class GatewayShards {
  readonly #shards: readonly WebSocketShard[];
  readonly #sessions = new Map<number, SessionInfo>();
  #ended = false;

  constructor(options: GatewayShardsOptions) {
    this.#shards = options.set.ids.map((id) => this.#open(id, options));
  }

  /** @throws why a shard couldn't sign in the first time */
  async connect(): Promise<void> {
    await Promise.all(this.#shards.map((shard) => shard.connect()));
  }

  /** Signs off within about a second. No shard connects again. */
  async end(): Promise<void> {
    this.#ended = true;
    // It never resolves for a shard waiting to identify: aborting that wait ends the shard a second
    // time, which removes the listener that the first one awaits.
    const closed = Promise.all(this.#shards.map((shard) => shard.destroy())).catch(() => {});
    await within(closed, CLOSING_MS);
    for (const shard of this.#shards) letGo(shard);
  }

  #open(id: number, options: GatewayShardsOptions): WebSocketShard {
    const { token, gateway, wayTo, set, intents, throttler } = options;
    const { onDispatch, onReady, onClosed, onError } = options;
    const shard = new WebSocketShard(
      {
        options: {
          ...DefaultWebSocketManagerOptions,
          token,
          intents,
          gatewayInformation: { ...gateway, url: wayTo(gateway.url) },
          shardCount: set.plan.shards,
        },
        // A shard's last question before it opens a socket. After the end it gets no answer.
        retrieveSessionInfo: (shardId) =>
          this.#ended ? new Promise<never>(() => {}) : (this.#sessions.get(shardId) ?? null),
        updateSessionInfo: (shardId, session) => {
          if (session === null) this.#sessions.delete(shardId);
          else {
            const resumeURL = wayTo(session.resumeURL);
            this.#sessions.set(shardId, { ...session, resumeURL });
          }
        },
        waitForIdentify: (shardId, signal) => throttler.waitForIdentify(shardId, signal),
      },
      id,
    );
    shard.on(WebSocketShardEvents.Dispatch, ({ data }) => onDispatch(data));
    shard.on(WebSocketShardEvents.Ready, () => onReady(id));
    shard.on(WebSocketShardEvents.Resumed, () => onReady(id));
    shard.on(WebSocketShardEvents.Closed, ({ code }) => onClosed(id, code));
    shard.on(WebSocketShardEvents.Error, ({ error }) => onError(error));
    return shard;
  }
}

/** What `letGo` needs from a socket of `ws`. */
interface Socket {
  onerror: unknown;
  terminate(): void;
}

/**
 * Closes a shard's socket immediately. @discordjs/ws has no public way to: `destroy` stops
 * listening to a socket that is still connecting, whose error would then crash the process, and
 * leaves a socket that doesn't close to `ws` for 30 seconds. So this reads the private
 * `connection`; the type checker and test/platforms/discord/gateway-shards.test.ts fail if
 * @discordjs/ws renames it.
 */
function letGo(shard: WebSocketShard): void {
  // biome-ignore lint/complexity/useLiteralKeys: only so does TypeScript let a private field be read
  const socket: Socket | null = shard['connection'];
  if (socket === null) return;
  socket.onerror = () => {};
  socket.terminate();
}

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
  /** Called with a server whose roles or owner have changed. Must not throw. */
  readonly onServerChanged: (guild: string) => void;
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
    const { gate, onMissed, onServerChanged, onInteraction } = this.#options;
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
        else if (event.d.user.id === this.#botId) {
          // Told without the intent, too: with another role it may see the audit log again.
          onServerChanged(event.d.guild_id);
          onMissed([event.d.guild_id]);
        }
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
      case GatewayDispatchEvents.GuildUpdate:
        onServerChanged(event.d.id);
        break;
      case GatewayDispatchEvents.GuildRoleCreate:
        onServerChanged(event.d.guild_id);
        break;
      case GatewayDispatchEvents.GuildRoleUpdate:
        onServerChanged(event.d.guild_id);
        // It may be the bot's, which was told of nothing while it mayn't see the audit log.
        if (showsAuditLog(event.d.role)) onMissed([event.d.guild_id]);
        gate?.renamed(community(event.d.guild_id), event.d.role.id, event.d.role.name);
        gate?.grantChanged(community(event.d.guild_id), event.d.role.id);
        break;
      case GatewayDispatchEvents.GuildRoleDelete:
        onServerChanged(event.d.guild_id);
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
