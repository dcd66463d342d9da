import { onTestFinished } from 'vitest';
import { Channel, type ChannelParts, type ChannelTimings } from '#webhooks/channel';
import type { WebhookStore } from '#webhooks/store';
import {
  eventsOf,
  type OutgoingWebhook,
  type SendResult,
  type WebhookEvent,
  type WebhookSender,
  type WebhookSettings,
} from '#webhooks/webhook';
import type { FakeFeed } from './change-feed.ts';
import { openMemoryStore } from './empty-store.ts';
import { eventually } from './eventually.ts';
import { silentLog } from './log.ts';

export const ID = 'wh_1';
export const ALL: WebhookSettings = {
  url: 'https://example.org/',
  events: ['tier.changed', 'score.changed', 'badge.earned'],
  chain: 'all',
  minTier: undefined,
};
export const TIMINGS: ChannelTimings = {
  backoff: (failures) => Math.min(2 ** failures, 8),
  longestRetryAfter: 20,
  giveUp: 86_400_000,
  commitEvery: 3,
  storeRetry: 1,
  goneAfter: 60_000,
};
const TAKEN: SendResult = { isTaken: true, result: 'HTTP 204' };
export const REFUSED: SendResult = { isTaken: false, result: 'HTTP 500' };

/** What a receiver does with a delivery; `lose` takes it, but the response is lost. */
export type Deed = 'take' | 'refuse' | 'lose';

/** A receiver that records deliveries. While a wallet's gate is closed, responses wait. */
export class TestReceiver implements WebhookSender {
  readonly events: WebhookEvent[] = [];
  readonly sizes: number[] = [];
  readonly ids: string[] = [];
  /** One for each delivery; after these it takes all. */
  deeds: Deed[] = [];
  deed: (events: readonly WebhookEvent[]) => Deed = () => this.deeds.shift() ?? 'take';
  gates = new Map<string, Promise<void>>();
  result: SendResult = REFUSED;
  /** Called with each delivery; a killed process gets no response. */
  onSend: () => void = () => {};

  idOf(webhook: string, events: readonly WebhookEvent[]): string {
    return `${webhook} ${events.map(nameOf).join(' ')}`;
  }

  async send(_: OutgoingWebhook, delivery: { id: string; events: readonly WebhookEvent[] }) {
    this.ids.push(delivery.id);
    const deed = this.deed(delivery.events);
    if (deed !== 'refuse') {
      this.events.push(...delivery.events);
      this.sizes.push(delivery.events.length);
    }
    this.onSend();
    for (const { data } of delivery.events) await this.gates.get(data.address);
    return deed === 'take' ? TAKEN : this.result;
  }

  /** A wallet's events, in the order they arrived. */
  of(address: string): string[] {
    return this.events.filter(({ data }) => data.address === address).map(nameOf);
  }
}

export const nameOf = ({ type, data }: WebhookEvent) => `${data.cursor}:${type}`;

export function openStore(): WebhookStore {
  const store = openMemoryStore();
  onTestFinished(() => store.close());
  return store.webhooks;
}

/** A process that serves a webhook. */
export class Process {
  readonly stopping = new AbortController();
  readonly #killing = new AbortController();
  readonly #lost = new AbortController();
  #isDead = false;
  isHeld = true;
  #channel: Channel | undefined;
  #run: Promise<void> | undefined;

  async begin(
    store: WebhookStore,
    feed: FakeFeed,
    receiver: TestReceiver,
    more: Partial<ChannelParts> = {},
  ): Promise<this> {
    const [webhook] = await store.list();
    const dead = <T>(work: () => T) => (this.#isDead ? new Promise<never>(() => {}) : work());
    this.#channel = await Channel.open({
      webhook: webhook!,
      store: { begin: (id) => store.begin(id), commit: (...of) => dead(() => store.commit(...of)) },
      feed,
      sender: {
        idOf: (...of) => receiver.idOf(...of),
        send: async (...of) => {
          if (this.#isDead) return await new Promise<never>(() => {});
          const sent = await receiver.send(of[0], of[1]);
          return await dead(async () => sent);
        },
      },
      lease: { signal: this.#lost.signal, isHeld: async () => this.isHeld },
      stopping: this.stopping.signal,
      killing: this.#killing.signal,
      timings: TIMINGS,
      log: silentLog,
      now: () => 1_800_000_000,
      monotonic: () => performance.now(),
      onAttempt: () => {},
      onStore: () => {},
      ...more,
    });
    this.#run = this.#channel?.run();
    return this;
  }

  get channel(): Channel {
    return this.#channel!;
  }

  get over(): Promise<void> {
    return this.#run!;
  }

  /** From now on nothing that's under way has any effect. */
  kill(): void {
    this.#isDead = true;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.#run;
  }
}

/** Everything the feed has for these settings, by wallet, in order. */
export function expected(feed: FakeFeed, settings: WebhookSettings = ALL): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const event of feed.entries.flatMap((each) => eventsOf(each, settings))) {
    const { address } = event.data;
    all.set(address, [...(all.get(address) ?? []), nameOf(event)]);
  }
  return all;
}

/** Waits until everything was delivered. @returns what the store then holds */
export async function finish(
  process: Process,
  store: WebhookStore,
  feed: FakeFeed,
  receiver: TestReceiver,
  settings = ALL,
) {
  const due = [...expected(feed, settings).values()].flat().length;
  await eventually(() => new Set(receiver.events.map(nameOf)).size === due);
  await eventually(() => process.channel.held === 0);
  await process.stop();
  return (await store.begin(ID))!;
}

export const add = (store: WebhookStore, settings: Partial<WebhookSettings> = {}) =>
  store.add({ ...ALL, ...settings, id: ID, secret: 'whsec_', createdAt: 1 });
