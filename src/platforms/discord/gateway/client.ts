import {
  Client,
  type ClientOptions,
  GatewayIntentBits,
  type IIdentifyThrottler,
  Options,
} from 'discord.js';
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

/**
 * A client of discord.js with the least that commands need, and the way to end it for good.
 * @param membersIntent whether Discord shall tell who joins and leaves
 * @param throttlerFor spaces its sign-ins; told how many Discord allows at once
 */
export function createClient(
  apiUrl: string | undefined,
  membersIntent: boolean,
  throttlerFor: (concurrency: number) => IIdentifyThrottler,
): { readonly client: Client; end(): Promise<void> } {
  let shards: EndingShards | undefined;
  const options: ClientOptions = {
    intents: [GatewayIntentBits.Guilds, ...(membersIntent ? [GatewayIntentBits.GuildMembers] : [])],
    // As many as Discord recommends; one holds 2,500 servers.
    shards: 'auto',
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
      buildIdentifyThrottler: async (manager) => {
        const { session_start_limit: limit } = await manager.fetchGatewayInformation();
        return throttlerFor(Math.max(1, limit.max_concurrency));
      },
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
