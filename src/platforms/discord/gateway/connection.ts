import {
  type APIInteraction,
  type Client,
  Events,
  GatewayDispatchEvents,
  type GatewayGuildMemberAddDispatchData,
  type GatewayGuildMemberRemoveDispatchData,
  type GatewayGuildRoleDeleteDispatchData,
  type GatewayGuildRoleUpdateDispatchData,
  type IIdentifyThrottler,
} from 'discord.js';
import type { GateEvents } from '#core/gating/events';
import type { Logger } from '#core/logger';
import { describe } from '#platforms/discord/describe';
import { createClient } from './client.ts';
import {
  type Fault,
  faultOf,
  faultOfClose,
  OTHER_PLAN,
  tooManySignIns,
  unreachable,
} from './faults.ts';
import { type GatewayPlan, isSamePlan, type ShardSet } from './plan.ts';
import type { SignIns } from './sign-ins.ts';
import type { Timings } from './timings.ts';

export interface ConnectionOptions {
  readonly token: string;
  readonly apiUrl: string | undefined;
  /** The shards that it connects. */
  readonly set: ShardSet;
  readonly signIns: SignIns;
  readonly timings: Timings;
  readonly log: Logger;
  /** Whether to ask Discord to tell who joins and leaves; it refuses who hasn't switched that on. */
  readonly membersIntent: boolean;
  readonly gate: Pick<GateEvents, 'joined' | 'left' | 'grantChanged'> | undefined;
  /** Must not throw. */
  readonly onInteraction: (interaction: APIInteraction) => void;
  /** Called with true whenever the gateway begins to deliver, and with false whenever it stops. */
  readonly onUp: (up: boolean) => void;
}

/** Raw events: they have all that we need, and come before discord.js has its say. */
const HEARD = [
  GatewayDispatchEvents.InteractionCreate,
  GatewayDispatchEvents.GuildMemberAdd,
  GatewayDispatchEvents.GuildMemberRemove,
  GatewayDispatchEvents.GuildRoleUpdate,
  GatewayDispatchEvents.GuildRoleDelete,
] as const;

/**
 * One life of a client: it signs in, resumes what drops by itself, and ends for good with the reason
 * why it cannot go on. Another one is then built; a client that ended is never used again.
 */
export class Connection {
  /** Resolves when it can't go on. */
  readonly ended: Promise<Fault>;
  readonly #client: Client;
  readonly #endClient: () => Promise<void>;
  readonly #options: ConnectionOptions;
  readonly #away = new Set<number>();
  #end: (fault: Fault) => void = () => {};
  #watch: NodeJS.Timeout | undefined;
  /** Shards that wait for their turn to sign in. */
  #queueing = 0;
  #up = false;
  #closing = false;
  #lastError: unknown;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    const { client, end } = createClient({
      ...options,
      throttlerFor: (plan) => this.#throttler(plan),
    });
    this.#client = client;
    this.#endClient = end;
    this.#listen(this.#client);
    this.#startWatch();
    this.#client.login(options.token).catch((error) => this.#end(faultOf(error)));
  }

  /** Signs off. It takes a second or two at most, whatever the other side does. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#stopWatch();
    for (const event of HEARD) this.#client.ws.removeAllListeners(event);
    this.#setUp(false);
    try {
      await this.#endClient();
    } catch (error) {
      this.#options.log.debug(describe(error), 'Discord: the connection did not close cleanly');
    }
  }

  #listen(client: Client): void {
    const { log, onInteraction } = this.#options;
    client.ws.on(GatewayDispatchEvents.InteractionCreate, (data: APIInteraction) =>
      onInteraction(data),
    );
    this.#listenForGating(client);
    client.on(Events.ClientReady, () => this.#back());
    client.on(Events.ShardReady, (id) => this.#back(id));
    client.on(Events.ShardResume, (id) => this.#back(id));
    client.on(Events.ShardReconnecting, (id) => this.#gone(id));
    // Only for codes after which discord.js gives up, while isReady() goes on saying true.
    client.on(Events.ShardDisconnect, ({ code }) =>
      this.#end(faultOfClose(code, this.#options.membersIntent)),
    );
    client.on(Events.ShardError, (error) => {
      this.#lastError = error;
      log.debug(describe(error), 'Discord: trouble with the gateway');
    });
    client.on(Events.Error, (error) =>
      log.error(describe(error), 'Discord: an error of the client'),
    );
  }

  /** Bots come and go with what they do; no rule is about them. */
  #listenForGating({ ws }: Client): void {
    const { gate } = this.#options;
    const community = (id: string) => ({ platform: 'discord', id }) as const;
    ws.on(GatewayDispatchEvents.GuildMemberAdd, (data: GatewayGuildMemberAddDispatchData) => {
      if (data.user.bot !== true) gate?.joined(community(data.guild_id), data.user.id);
    });
    ws.on(GatewayDispatchEvents.GuildMemberRemove, (data: GatewayGuildMemberRemoveDispatchData) => {
      if (data.user.bot !== true) gate?.left(community(data.guild_id), data.user.id);
    });
    ws.on(GatewayDispatchEvents.GuildRoleUpdate, (data: GatewayGuildRoleUpdateDispatchData) =>
      gate?.grantChanged(community(data.guild_id), data.role.id),
    );
    ws.on(GatewayDispatchEvents.GuildRoleDelete, (data: GatewayGuildRoleDeleteDispatchData) =>
      gate?.grantChanged(community(data.guild_id), data.role_id),
    );
  }

  /** Lets a shard sign in when it is its turn: until then it is not the network that it waits for. */
  #throttler(plan: GatewayPlan): IIdentifyThrottler {
    const { signIns, set } = this.#options;
    if (!isSamePlan(plan, set.plan)) {
      this.#end(OTHER_PLAN);
      // The connection is about to be closed, and nobody signs in before.
      return { waitForIdentify: () => new Promise<never>(() => {}) };
    }
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

  #back(id?: number): void {
    if (id !== undefined) this.#away.delete(id);
    if (!this.#client.isReady() || this.#away.size > 0) return;
    this.#stopWatch();
    this.#setUp(true);
  }

  #setUp(up: boolean): void {
    if (this.#up === up) return;
    this.#up = up;
    this.#options.onUp(up);
  }

  /** discord.js tries again twice a second for ever; after a while that is left to longer waits. */
  #startWatch(): void {
    // To sign off looks like a drop, and nobody waits for its end.
    if (this.#closing || this.#queueing > 0) return;
    this.#watch ??= setTimeout(
      () => this.#end(unreachable(this.#lastError)),
      this.#options.timings.away,
    );
  }

  #stopWatch(): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
  }
}
