import { randomBytes } from 'node:crypto';
import {
  createApiKey,
  type KeyStore,
  LIVE_KEYS_PER_OWNER,
  type Logger,
  type PlatformId,
} from '#base';
import { hashApiKey } from '#base/process';
import { type InboxStore, ReplicaInbox, type WorkStore } from '#cluster';
import { accountKey, type Caller } from '#command';
import { commands } from '#commands';
import { Answerer, type CallerKeys } from '#commands/answering';
import type { CommunityAdapter, GateEvents, UsernameStore } from '#gating';
import type { Metrics } from '#http/api';
import { type VerifiedNames, withVerifiedNames } from '#names';
import type { BadgePictureOf, PictureOf } from '#pictures/shown';
import type { CardStyles } from '#pictures/style';
import type { RunningPlatform } from '#platforms';
import { ExplorerLinks, type ReputationSource } from '#reputation';
import type { WalletParser } from '#wallet';
import { addChatMetrics, type ChatStatus } from './chat-metrics.ts';
import type { Config } from './config.ts';
import type { CommunityGating } from './gating.ts';
import type { WalletLinking } from './linking.ts';
import type { Sharing } from './sharing.ts';

interface AnswererParts {
  readonly config: Config;
  readonly source: ReputationSource;
  readonly names: VerifiedNames;
  readonly pictureOf: PictureOf;
  readonly cardStyles: CardStyles;
  readonly badgePictureOf: BadgePictureOf;
  readonly wallets: WalletParser;
  readonly keys: KeyStore;
  readonly linking: Pick<WalletLinking, 'of'>;
  readonly gating: Pick<CommunityGating, 'gating' | 'watch'>;
  readonly log: Logger;
}

/** Answers commands of the chats and the playground. */
export function createAnswerer(parts: AnswererParts): Answerer {
  const { config, source, names, pictureOf, badgePictureOf, cardStyles } = parts;
  const { wallets, keys, linking, gating, log } = parts;
  return new Answerer({
    commands,
    source: withVerifiedNames(source, names),
    names,
    pictureOf,
    cardStyles,
    badgePictureOf,
    wallets,
    thresholds: config.thresholds,
    explorers: new ExplorerLinks(config.explorers),
    keysOf: (caller) => keysOfCaller(keys, caller),
    linksOf: (caller) => linking.of(caller),
    gating: gating.gating,
    platforms: config.platforms.map(({ platform }) => platform),
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

/** The URL of a platform's bot. */
export interface Invitation {
  /** The platform's name. */
  readonly label: string;
  readonly url: string;
}

export interface Chats {
  /** By platform; only configured ones. */
  statuses(): Record<PlatformId, ChatStatus>;
  /** URLs of the connected bots. */
  invitations(): readonly Invitation[];
  /** Handles a platform's deliveries; undefined unless it's configured to deliver. */
  deliverTo(platform: PlatformId): RunningPlatform['deliver'];
  /** Applies gating rules; undefined for a chat that isn't configured. */
  keeperOf(platform: PlatformId): CommunityAdapter | undefined;
  /** Finishes commands in flight, then disconnects. */
  stop(): Promise<void>;
}

export interface ChatsParts {
  readonly config: Pick<Config, 'platforms'>;
  readonly answerer: Answerer;
  readonly gate: GateEvents;
  readonly metrics: Metrics;
  readonly store: {
    readonly work: WorkStore;
    readonly inbox: InboxStore;
    readonly gating: UsernameStore;
  };
  readonly sharing: Sharing;
  readonly log: Logger;
}

/**
 * Starts the configured chats without waiting for them: each connects, and reconnects, on its own,
 * independent of the others. A chat's code is only loaded if it's configured, as it takes more
 * memory than everything else.
 */
export async function startChats(parts: ChatsParts): Promise<Chats> {
  const { config, answerer, gate, metrics, store, sharing, log } = parts;
  const { replica, redis, isCutOff } = sharing;
  const running = new Map<PlatformId, RunningPlatform>();
  const statuses = () =>
    Object.fromEntries([...running].map(([id, platform]) => [id, platform.status()]));
  const counted = addChatMetrics(metrics.registry, statuses);
  const host = {
    answerer,
    gate,
    log,
    replica: { id: replica.id, live: () => replica.live },
    work: store.work,
    inbox: new ReplicaInbox(store.inbox, replica),
    usernames: store.gating,
    isCutOff,
    budget: redis?.budget,
    onAcknowledged: counted.acknowledged,
  };
  for (const { platform, start } of config.platforms) {
    if (start === undefined) continue;
    running.set(platform.id, await start({ ...host, onCommand: counted(platform.id) }));
  }
  return {
    statuses,
    invitations: () =>
      config.platforms.flatMap(({ platform: { id, label } }) => {
        const url = running.get(id)?.invitation();
        return url === undefined ? [] : [{ label, url }];
      }),
    deliverTo: (platform) => running.get(platform)?.deliver,
    keeperOf: (platform) => running.get(platform)?.keeper,
    async stop() {
      await Promise.all([...running.values()].map((platform) => platform.stop()));
    },
  };
}
