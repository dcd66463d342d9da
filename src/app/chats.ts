import { randomBytes } from 'node:crypto';
import { hashApiKey } from '#api/api-key-hash';
import type { Metrics } from '#api/metrics';
import type { Config } from '#app/config';
import { commands } from '#commands/index';
import { Answerer } from '#core/answerer';
import { createApiKey, LIVE_KEYS_PER_OWNER } from '#core/api-key';
import type { Caller, CallerKeys } from '#core/command';
import type { GateEvents } from '#core/gating/events';
import type { GateKeeper } from '#core/gating/keeper';
import type { Community } from '#core/gating/rule';
import { accountKey } from '#core/links/account';
import type { Logger } from '#core/logger';
import type { KeyStore, ReputationSource } from '#core/ports';
import type { WalletParser } from '#core/wallet';
import type { InboxStore } from '#core/work/inbox';
import { OwnInbox } from '#core/work/own-inbox';
import type { WorkStore } from '#core/work/store';
import type { DiscordAdapter } from '#platforms/discord/adapter';
import type { Telegram } from '#platforms/telegram/adapter';
import { addChatMetrics, type ChatStatus } from './chat-metrics.ts';
import type { CommunityGating } from './gating.ts';
import type { WalletLinking } from './linking.ts';
import type { Sharing } from './sharing.ts';

interface AnswererParts {
  readonly config: Config;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly keys: KeyStore;
  readonly linking: Pick<WalletLinking, 'of'>;
  readonly gating: Pick<CommunityGating, 'gating' | 'watch'>;
  readonly log: Logger;
}

/** What both chats and the playground ask. */
export function createAnswerer(parts: AnswererParts): Answerer {
  const { config, source, wallets, keys, linking, gating, log } = parts;
  return new Answerer({
    commands,
    source,
    wallets,
    thresholds: config.thresholds,
    keysOf: (caller) => keysOfCaller(keys, caller),
    linksOf: (caller) => linking.of(caller),
    gating: gating.gating,
    isDemo: config.demo,
    onSeen: (caller) => gating.watch.seen(caller),
    log,
  });
}

function keysOfCaller(keys: KeyStore, caller: Caller): CallerKeys {
  const owner = accountKey(caller);
  return {
    async issue(label) {
      const key = createApiKey(randomBytes);
      const hash = hashApiKey(key);
      return { key, record: await keys.add({ label, owner, hash }, LIVE_KEYS_PER_OWNER) };
    },
    list: () => keys.list(owner),
    revoke: (id) => keys.revoke(id, owner),
  };
}

interface RunningChat {
  status(): ChatStatus;
  readonly keeper: GateKeeper;
  invitation(): string | undefined;
  stop(): Promise<void>;
}

export interface Chats {
  /** By platform; only those that are configured. */
  statuses(): Record<string, ChatStatus>;
  /** By platform, where its bot is reached; only those that are connected. */
  invitations(): Record<string, string>;
  /** One delivery of Telegram's; undefined unless it is configured to deliver. */
  readonly handleWebhook: Telegram['handleWebhook'];
  /** One of Discord's, likewise. */
  readonly handleInteraction: DiscordAdapter['handleInteraction'];
  /** What rules are followed with; undefined for a chat that is not configured. */
  keeperOf(platform: Community['platform']): GateKeeper | undefined;
  /** Answers what was asked, then leaves both. */
  stop(): Promise<void>;
}

export interface ChatsParts {
  readonly config: Pick<Config, 'discord' | 'telegram'>;
  readonly answerer: Answerer;
  readonly gate: GateEvents;
  readonly metrics: Metrics;
  readonly store: { readonly work: WorkStore; readonly inbox: InboxStore };
  readonly sharing: Sharing;
  readonly log: Logger;
}

/**
 * Starts the chats that have a token. It doesn't wait for them: each connects by itself, as often as
 * it has to, and neither notices how the other does. The code of a chat is loaded only for who wants
 * it, for it takes more memory than all the rest.
 */
export async function startChats(parts: ChatsParts): Promise<Chats> {
  const { config, answerer, gate, metrics, store, sharing, log } = parts;
  const { discord, telegram } = config;
  const { work } = store;
  const { isCutOff } = sharing;
  const { id } = sharing.replica;
  const inbox = new OwnInbox(store.inbox, sharing.replica);
  const running = new Map<string, RunningChat>();
  const statuses = () =>
    Object.fromEntries([...running].map(([name, chat]) => [name, chat.status()]));
  const counted = addChatMetrics(metrics.registry, statuses);
  let handleWebhook: Telegram['handleWebhook'];
  let handleInteraction: DiscordAdapter['handleInteraction'];

  if (discord !== undefined) {
    const hooks = {
      onCommand: counted('discord'),
      onAcknowledged: counted.acknowledged,
    };
    const replica = { id, work, inbox, isCutOff };
    const { startDiscord } = await import('#platforms/discord/adapter');
    const bot = startDiscord({ ...discord, answerer, gate, replica, log, hooks });
    running.set('discord', bot);
    handleInteraction = bot.handleInteraction?.bind(bot);
  }
  if (telegram !== undefined) {
    const { startTelegram } = await import('#platforms/telegram/adapter');
    const { token, apiUrl, webhook } = telegram;
    const { redis } = sharing;
    const bot = startTelegram({
      token,
      ...(apiUrl !== undefined && { apiUrl }),
      mode: webhook === undefined ? 'polling' : 'webhook',
      ...(webhook !== undefined && { webhook }),
      answerer,
      gate,
      log,
      onCommand: counted('telegram'),
      replica: id,
      work,
      inbox,
      isCutOff,
      ...(redis !== undefined && { budget: redis.budget }),
      replicas: () => sharing.replica.live,
    });
    running.set('telegram', bot);
    handleWebhook = bot.handleWebhook?.bind(bot);
  }

  return {
    statuses,
    invitations: () =>
      Object.fromEntries(
        [...running].flatMap(([name, chat]) => {
          const url = chat.invitation();
          return url === undefined ? [] : [[name, url]];
        }),
      ),
    handleWebhook,
    handleInteraction,
    keeperOf: (platform) => running.get(platform)?.keeper,
    async stop() {
      await Promise.all([...running.values()].map((chat) => chat.stop()));
    },
  };
}
