import { randomBytes } from 'node:crypto';
import { hashApiKey } from '#api/api-key-hash';
import type { Metrics } from '#api/metrics';
import { commands } from '#commands/index';
import type { Config } from '#config';
import { Answerer } from '#core/answerer';
import { createApiKey, LIVE_KEYS_PER_OWNER } from '#core/api-key';
import type { Caller, CallerKeys } from '#core/command';
import type { Logger } from '#core/logger';
import type { KeyStore, ReputationSource } from '#core/ports';
import type { WalletParser } from '#core/wallet';
import type { Telegram } from '#platforms/telegram/adapter';
import { addChatMetrics, type ChatStatus } from './chat-metrics.ts';

interface AnswererParts {
  readonly config: Config;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly keys: KeyStore;
  readonly log: Logger;
}

/** What both chats and the playground ask. */
export function createAnswerer({ config, source, wallets, keys, log }: AnswererParts): Answerer {
  return new Answerer({
    commands,
    source,
    wallets,
    thresholds: config.thresholds,
    keysOf: (caller) => keysOfCaller(keys, caller),
    log,
  });
}

function keysOfCaller(keys: KeyStore, caller: Caller): CallerKeys {
  const owner = `${caller.platform}:${caller.id}`;
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

export interface Chats {
  /** By platform; only those that are configured. */
  statuses(): Record<string, ChatStatus>;
  /** One delivery of Telegram's; undefined unless it is configured to deliver. */
  readonly handleWebhook: Telegram['handleWebhook'];
  /** Answers what was asked, then leaves both. */
  stop(): Promise<void>;
}

/**
 * Starts the chats that have a token. It doesn't wait for them: each connects by itself, as often as
 * it has to, and neither notices how the other does. The code of a chat is loaded only for who wants
 * it, for it takes more memory than all the rest.
 */
export async function startChats(
  { discord, telegram }: Pick<Config, 'discord' | 'telegram'>,
  answerer: Answerer,
  metrics: Metrics,
  log: Logger,
): Promise<Chats> {
  const running = new Map<string, { status(): ChatStatus; stop(): Promise<void> }>();
  const statuses = () =>
    Object.fromEntries([...running].map(([name, chat]) => [name, chat.status()]));
  const counted = addChatMetrics(metrics.registry, statuses);
  let handleWebhook: Telegram['handleWebhook'];

  if (discord !== undefined) {
    const hooks = {
      onCommand: counted('discord'),
      onAcknowledged: counted.acknowledged,
    };
    const { startDiscord } = await import('#platforms/discord/adapter');
    running.set('discord', startDiscord({ ...discord, answerer, log, hooks }));
  }
  if (telegram !== undefined) {
    const { startTelegram } = await import('#platforms/telegram/adapter');
    const { token, apiUrl, webhook } = telegram;
    const bot = startTelegram({
      token,
      ...(apiUrl !== undefined && { apiUrl }),
      mode: webhook === undefined ? 'polling' : 'webhook',
      ...(webhook !== undefined && { webhook }),
      answerer,
      log,
      onCommand: counted('telegram'),
    });
    running.set('telegram', bot);
    handleWebhook = bot.handleWebhook?.bind(bot);
  }

  return {
    statuses,
    handleWebhook,
    async stop() {
      await Promise.all([...running.values()].map((chat) => chat.stop()));
    },
  };
}
