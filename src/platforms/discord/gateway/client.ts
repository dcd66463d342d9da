import {
  Client,
  type ClientOptions,
  GatewayIntentBits,
  type IIdentifyThrottler,
  Options,
} from 'discord.js';
import { type GatewayPlan, planOf, type ShardSet } from './plan.ts';
import { EndingShards } from './shards.ts';

/** A request of ours outside of interactions is made again once at once; our own retries pause. */
const RETRIES = 1;
const LONGEST_SLOT_MS = 60_000;

/** Only servers, channels and roles stay in memory: discord.js doesn't work without them. */
const UNCACHED = {
  ApplicationCommandManager: 0,
  ApplicationEmojiManager: 0,
  AutoModerationRuleManager: 0,
  DMMessageManager: 0,
  EntitlementManager: 0,
  GuildBanManager: 0,
  GuildEmojiManager: 0,
  GuildForumThreadManager: 0,
  GuildInviteManager: 0,
  GuildMemberManager: 0,
  GuildMessageManager: 0,
  GuildScheduledEventManager: 0,
  GuildSoundboardSoundManager: 0,
  GuildStickerManager: 0,
  GuildTextThreadManager: 0,
  MessageManager: 0,
  PresenceManager: 0,
  ReactionManager: 0,
  ReactionUserManager: 0,
  StageInstanceManager: 0,
  SubscriptionManager: 0,
  ThreadManager: 0,
  ThreadMemberManager: 0,
  UserManager: 0,
  VoiceStateManager: 0,
};

export interface GatewayClientOptions {
  readonly apiUrl: string | undefined;
  /** The shards that it connects, and no others. */
  readonly set: ShardSet;
  /** Whether Discord shall tell who joins and leaves. */
  readonly membersIntent: boolean;
  /** Spaces its sign-ins. Asked for before the first one, with what Discord recommends just then. */
  readonly throttlerFor: (plan: GatewayPlan) => IIdentifyThrottler;
}

/** A client of discord.js with the least that commands need, and the way to end it for good. */
export function createClient({ apiUrl, set, membersIntent, throttlerFor }: GatewayClientOptions): {
  readonly client: Client;
  end(): Promise<void>;
} {
  let shards: EndingShards | undefined;
  const options: ClientOptions = {
    intents: [GatewayIntentBits.Guilds, ...(membersIntent ? [GatewayIntentBits.GuildMembers] : [])],
    shards: [...set.ids],
    shardCount: set.plan.shards,
    allowedMentions: { parse: [] },
    makeCache: Options.cacheWithLimits(UNCACHED),
    waitGuildTimeout: 5_000,
    rest: {
      ...(apiUrl !== undefined && { api: apiUrl }),
      version: '10',
      retries: RETRIES,
      rejectOnRateLimit: ({ timeToReset, retryAfter }) =>
        Math.max(timeToReset, retryAfter) > LONGEST_SLOT_MS,
    },
    ws: {
      buildStrategy: (manager) => {
        shards = new EndingShards(manager);
        return shards;
      },
      buildIdentifyThrottler: async (manager) =>
        throttlerFor(planOf(await manager.fetchGatewayInformation())),
    },
  };
  const client = new Client(options);
  return {
    client,
    async end() {
      shards?.end();
      await client.destroy();
    },
  };
}
