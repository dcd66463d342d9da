import { Counter, Gauge, type Registry } from 'prom-client';
import {
  isOutage,
  type Logger,
  monotonicMs,
  ProblemLog,
  SharedProblemLog,
  wallSeconds,
} from '#base';
import { Upkeep } from '#base/process';
import { backoff } from '#base/waiting';
import type { Lease, Replica } from '#cluster';
import type { ReputationSource } from '#reputation';
import {
  Channel,
  type ChannelTimings,
  type WebhookAttempt,
  type WebhookSender,
  type WebhookStore,
  type WebhookSummary,
} from '#webhooks';
import { createWebhookSender, LONGEST_RETRY_AFTER_S } from '#webhooks/delivery';
import type { Config } from './config.ts';
import type { DataSources } from './data/data-sources.ts';

/** How long it takes at most until a change on the command line applies, or another replica takes over. */
const POLL_MS = 2_000;
/** How long to wait for requests under way on shutdown. */
const DRAIN_MS = 5_000;
/** How long the store may be locked without a warning. */
const LOCKED_MS = 5_000;
const DAY_MS = 86_400_000;

const TIMINGS: ChannelTimings = {
  backoff: (failures) => backoff(failures, { first: 1_000, most: 3_600_000 }),
  longestRetryAfter: LONGEST_RETRY_AFTER_S * 1000,
  giveUp: 3 * DAY_MS,
  commitEvery: 1_000,
  storeRetry: 250,
  goneAfter: 30_000,
};

interface WebhooksParts {
  readonly store: WebhookStore;
  readonly source: Pick<ReputationSource, 'changes'>;
  readonly sender: WebhookSender;
  readonly replica: Pick<Replica, 'during'>;
  readonly log: Logger;
  readonly onAttempt: (webhook: string, attempt: WebhookAttempt) => void;
  /** For tests. */
  readonly timings?: Partial<ChannelTimings>;
  readonly pollMs?: number;
  readonly drainMs?: number;
}

/** Sends webhooks. Each one is served by one replica at a time. */
export class Webhooks {
  readonly #parts: WebhooksParts;
  readonly #timings: ChannelTimings;
  readonly #upkeep: Upkeep;
  readonly #stopping = new AbortController();
  readonly #killing = new AbortController();
  /** Served here, or about to be. */
  readonly #serving = new Map<string, Promise<void>>();
  readonly #channels = new Map<string, Channel>();
  readonly #upstreamTrouble: ProblemLog;
  /** Problems of reading the list, and of beginning to serve one, which writes. */
  readonly #storeTrouble: SharedProblemLog;
  #listed: readonly WebhookSummary[] = [];

  constructor(parts: WebhooksParts) {
    const { log, pollMs = POLL_MS } = parts;
    this.#parts = parts;
    this.#timings = { ...TIMINGS, ...parts.timings };
    this.#upstreamTrouble = new ProblemLog(log);
    this.#storeTrouble = new SharedProblemLog(log);
    this.#upkeep = new Upkeep({
      everyMs: pollMs,
      work: () => this.#poll(),
      onError: (error) => this.#failed('list', error),
    });
  }

  /** All webhooks, as of the last check. */
  get all(): readonly WebhookSummary[] {
    return this.#listed;
  }

  /** The webhooks that this replica serves, by id. */
  get channels(): ReadonlyMap<string, Pick<Channel, 'held' | 'isDown'>> {
    return this.#channels;
  }

  begin(): void {
    void this.#upkeep.begin();
  }

  /** Waits a moment for requests under way. What wasn't delivered is sent after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#upkeep.stop();
    const timer = setTimeout(() => this.#killing.abort(), this.#parts.drainMs ?? DRAIN_MS);
    await Promise.all(this.#serving.values());
    clearTimeout(timer);
  }

  async #poll(): Promise<void> {
    const { store, source } = this.#parts;
    const listed = await store.list();
    this.#listed = listed;
    if (source.changes === undefined) {
      if (listed.length > 0) {
        const sentence =
          'this instance has webhooks, but its scores come from UPSTREAM_URL; add them to that instance instead';
        this.#upstreamTrouble.report('upstream', 'warn', {}, sentence);
      }
      return;
    }
    this.#storeTrouble.resolve('list');
    if (this.#stopping.signal.aborted) return;
    const active = new Map(listed.filter((each) => !each.pause).map((each) => [each.id, each]));
    for (const [id, channel] of this.#channels) {
      const webhook = active.get(id);
      if (webhook === undefined) channel.end();
      else channel.update(webhook);
    }
    for (const webhook of active.values()) {
      if (this.#serving.has(webhook.id)) continue;
      const served = this.#serve(webhook).finally(() => this.#serving.delete(webhook.id));
      this.#serving.set(webhook.id, served);
    }
  }

  /** Serves a webhook, unless another replica does. Never rejects. */
  async #serve(webhook: WebhookSummary): Promise<void> {
    const { replica } = this.#parts;
    try {
      await replica.during(`webhook ${webhook.id}`, (lease) => this.#deliver(webhook, lease));
    } catch (error) {
      this.#failed('serve', error);
    }
  }

  async #deliver(webhook: WebhookSummary, lease: Lease): Promise<void> {
    const { store, source, sender, log, onAttempt } = this.#parts;
    const { changes: feed } = source;
    if (feed === undefined) return;
    const trouble = new ProblemLog(log);
    let awaySince: number | undefined;
    const channel = await Channel.open({
      ...{ webhook, store, feed, sender, lease, log, timings: this.#timings },
      stopping: this.#stopping.signal,
      killing: this.#killing.signal,
      now: wallSeconds,
      monotonic: monotonicMs,
      onAttempt: (attempt) => onAttempt(webhook.id, attempt),
      onStore: (error) => {
        if (error === undefined) {
          awaySince = undefined;
          trouble.resolve();
          return;
        }
        awaySince ??= monotonicMs();
        // A concurrent import locks the store for moments.
        if (monotonicMs() - awaySince > LOCKED_MS) {
          trouble.failed(error, 'a webhook is waiting for the store');
        }
      },
    });
    this.#storeTrouble.resolve('serve');
    if (channel === undefined) return;
    this.#channels.set(webhook.id, channel);
    try {
      await channel.run();
    } finally {
      this.#channels.delete(webhook.id);
    }
  }

  #failed(job: 'list' | 'serve', error: unknown): void {
    const isWaiting = isOutage(error);
    this.#storeTrouble.failed(
      job,
      error,
      isWaiting ? 'webhooks are waiting for the store' : 'bug: webhooks failed; retrying',
    );
  }
}

/** Sends the store's webhooks until it's stopped. */
export function startWebhooks(
  { privateNetworks }: Pick<Config, 'privateNetworks'>,
  { store, source, cluster, metrics }: DataSources,
  log: Logger,
): Pick<Webhooks, 'all' | 'stop'> {
  const sender = createWebhookSender({ privateNetworks });
  const onAttempt = addWebhookMetrics(metrics.registry, () => webhooks);
  const parts = { source, sender, log, onAttempt, replica: cluster.replica };
  const webhooks = new Webhooks({ ...parts, store: store.webhooks });
  webhooks.begin();
  return {
    get all() {
      return webhooks.all;
    },
    async stop() {
      await webhooks.stop();
      await sender.close();
    },
  };
}

/** The state of webhooks for `/readyz`. That's public, so it doesn't say which ones fail. */
export function webhooksCheck(
  all: readonly WebhookSummary[],
): { readonly ok: boolean; readonly detail: string } | undefined {
  if (all.length === 0) return undefined;
  const paused = all.filter(({ pause }) => pause !== undefined).length;
  const detail = `${all.length - paused} active, ${paused} paused`;
  if (paused === 0) return { ok: true, detail };
  return { ok: false, detail: `${detail}; "fathom webhooks list" says why` };
}

interface WebhooksShown {
  readonly all: readonly WebhookSummary[];
  /** The webhooks that this replica serves, by id. */
  readonly channels: ReadonlyMap<string, { readonly held: number }>;
}

/** Registers the metrics of webhooks. @returns a hook to call for every attempt */
function addWebhookMetrics(
  registry: Registry,
  webhooks: () => WebhooksShown,
): (webhook: string, attempt: WebhookAttempt) => void {
  const registers = [registry];
  const labelNames = ['webhook'];
  const deliveries = new Counter({
    name: 'fathom_webhook_deliveries_total',
    help: 'Deliveries sent, by outcome: taken or failed.',
    labelNames: ['webhook', 'outcome'],
    registers,
  });
  const events = new Counter({
    name: 'fathom_webhook_events_total',
    help: 'Events that receivers accepted.',
    ...{ labelNames, registers },
  });
  new Gauge({
    name: 'fathom_webhook_paused',
    help: '1 while a webhook is paused, 0 while it delivers.',
    ...{ labelNames, registers },
    collect() {
      this.reset();
      for (const { id, pause } of webhooks().all) {
        this.set({ webhook: id }, Number(pause !== undefined));
      }
    },
  });
  new Gauge({
    name: 'fathom_webhook_held_events',
    help: 'Events read but not yet delivered, for webhooks served by this replica.',
    ...{ labelNames, registers },
    collect() {
      this.reset();
      for (const [webhook, { held }] of webhooks().channels) this.set({ webhook }, held);
    },
  });
  return (webhook, attempt) => {
    deliveries.inc({ webhook, outcome: attempt.isTaken ? 'taken' : 'failed' });
    if (attempt.isTaken) events.inc({ webhook }, attempt.events);
  };
}
