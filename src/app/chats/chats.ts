import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Config } from '#app/config';
import type { Cluster } from '#app/data/cluster';
import type { CommunityGating } from '#app/members/gating';
import type { WalletLinking } from '#app/members/linking';
import {
  createApiKey,
  type KeyStore,
  LIVE_KEYS_PER_OWNER,
  type Logger,
  type PlatformId,
  wallMs,
} from '#base';
import { hashApiKey } from '#base/process';
import { claimsUnlessStandby, type InboxStore, ReplicaInbox, type WorkStore } from '#cluster';
import { type Account, accountKey, type Caller } from '#command';
import { commands } from '#commands';
import { Answerer, type CallerKeys } from '#commands/answering';
import type { CommunityAdapter, GateEvents, MemberBoards, UsernameStore } from '#gating';
import type { Metrics } from '#http/api';
import { type VerifiedNames, withVerifiedNames } from '#names';
import type { BadgePictureOf, PictureOf } from '#pictures/shown';
import type { CardStyles } from '#pictures/style';
import type { Platform, RunningPlatform } from '#platforms';
import { ExplorerLinks, type ReputationSource } from '#reputation';
import type { WalletParser } from '#wallet';

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
  readonly boards: MemberBoards;
  /** Looks at what an account's linked wallets give. */
  readonly linksChanged: (account: Account) => void;
  readonly log: Logger;
}

/** Answers commands of the chats and the playground. */
export function createAnswerer(parts: AnswererParts): Answerer {
  const { config, source, names, pictureOf, badgePictureOf, cardStyles } = parts;
  const { wallets, keys, linking, gating, boards, linksChanged, log } = parts;
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
    linksOf: (...asked) => linking.of(...asked),
    gating: gating.gating,
    boards,
    platforms: config.platforms.map(({ platform }) => platform),
    isDemo: config.demo,
    onSeen: (caller) => gating.watch.seen(caller),
    // They may have linked a wallet, and nobody looked.
    onMaybeDone: (caller) => linksChanged(caller),
    log,
    clock: wallMs,
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
  adapterOf(platform: PlatformId): CommunityAdapter | undefined;
  /** Finishes commands in flight, then disconnects. */
  stop(): Promise<void>;
}

interface ChatsParts {
  readonly config: Pick<Config, 'platforms'>;
  readonly answerer: Answerer;
  readonly gate: GateEvents;
  readonly metrics: Metrics;
  readonly store: {
    readonly work: WorkStore;
    readonly inbox: InboxStore;
    readonly gating: UsernameStore;
  };
  readonly cluster: Cluster;
  readonly log: Logger;
}

/**
 * Starts the configured chats without waiting for them: each connects, and reconnects, on its own,
 * independent of the others. A chat's code is only loaded if it's configured, as it takes more
 * memory than everything else.
 */
export async function startChats(parts: ChatsParts): Promise<Chats> {
  const { config, answerer, gate, metrics, store, cluster, log } = parts;
  const { replica, redis, isCutOff } = cluster;
  const running = new Map<PlatformId, RunningPlatform>();
  const statuses = () =>
    Object.fromEntries([...running].map(([id, platform]) => [id, platform.status()]));
  const counted = addChatMetrics(metrics.registry, statuses);
  const host = {
    answerer,
    gate,
    log,
    replica: { id: replica.id, live: () => replica.live },
    work: claimsUnlessStandby(store.work, replica),
    inbox: new ReplicaInbox(store.inbox, replica),
    usernames: store.gating,
    leavesToOthers: () => isCutOff() || replica.isAside,
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
    adapterOf: (platform) => running.get(platform)?.communityAdapter,
    async stop() {
      await Promise.all([...running.values()].map((platform) => platform.stop()));
    },
  };
}

/** Whether a chat is connected, and what's wrong if not. */
interface ChatStatus {
  readonly ok: boolean;
  readonly detail: string;
}

/** Seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5];

type OnCommand = (command: string, outcome: string, seconds: number) => void;

/** Creates one platform's hook, and records Discord's acknowledgements. */
type ChatCounts = ((platform: string) => OnCommand) & {
  readonly acknowledged: (seconds: number) => void;
};

/** Registers the chats' metrics. @param statuses by platform, read at every scrape */
function addChatMetrics(
  registry: Registry,
  statuses: () => Record<string, ChatStatus>,
): ChatCounts {
  const registers = [registry];
  const commands = new Counter({
    name: 'fathom_chat_commands_total',
    help: 'Commands from chats, by platform, command and outcome.',
    labelNames: ['platform', 'command', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'fathom_chat_answer_seconds',
    help: 'Time from a command to its delivered answer, by platform.',
    labelNames: ['platform'],
    buckets: BUCKETS,
    registers,
  });
  const acknowledged = new Histogram({
    name: 'fathom_chat_acknowledge_seconds',
    help: 'Time from a Discord interaction to its acknowledgement.',
    buckets: BUCKETS,
    registers,
  });
  new Gauge({
    name: 'fathom_chat_up',
    help: '1 if a chat is connected, otherwise 0; by platform.',
    labelNames: ['platform'],
    registers,
    collect() {
      this.reset();
      for (const [platform, { ok }] of Object.entries(statuses())) {
        this.set({ platform }, ok ? 1 : 0);
      }
    },
  });
  const counted = (platform: string): OnCommand => {
    const time = seconds.labels({ platform });
    return (command, outcome, took) => {
      commands.inc({ platform, command, outcome });
      time.observe(took);
    };
  };
  return Object.assign(counted, { acknowledged: (took: number) => acknowledged.observe(took) });
}

/** Updates and interactions have a few kilobytes; messages with many entities have tens. */
const DELIVERY_MAX = 512 * 1024;

/** Receives platforms' deliveries, if configured. */
export function addDeliveries(
  app: FastifyInstance,
  platforms: readonly Platform[],
  chats: () => Chats | undefined,
): void {
  const options = { bodyLimit: DELIVERY_MAX };
  const handlerOf = ({ id }: Platform) => {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const deliver = chats()?.deliverTo(id);
      if (deliver === undefined) return reply.callNotFound();
      const { status, body } = await deliver({ body: request.body, headers: request.headers });
      reply.code(status);
      return body === undefined ? reply.send() : reply.type('application/json').send(body);
    };
  };
  const raw = (platform: Platform) => platform.delivery?.body === 'bytes';
  for (const platform of platforms.filter((each) => !raw(each))) {
    if (platform.delivery) app.post(platform.delivery.path, options, handlerOf(platform));
  }
  app.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, take) =>
      take(null, body),
    );
    for (const platform of platforms.filter(raw)) {
      if (platform.delivery) scope.post(platform.delivery.path, options, handlerOf(platform));
    }
    done();
  });
}
