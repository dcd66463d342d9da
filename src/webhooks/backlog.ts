import type { HeldDelivery, HeldEvent, WebhookProgress } from './store.ts';
import { BATCH_BYTES, BATCH_MAX, bodyOf, type WebhookEvent } from './webhook.ts';

/** Up to this many events are sent one by one; if there are more, as many as fit are sent as a batch. */
const SINGLES = 10;
/** At most this much of a batch's body is around its events. */
const ENVELOPE_BYTES = 100;
const UTF_8 = new TextEncoder();

/** A delivery that hasn't succeeded yet. */
export interface PendingDelivery extends HeldDelivery {
  failures: number;
  failingSeconds: number;
  isSending: boolean;
  /** When to send it, in monotonic time. */
  dueAt: number;
  /** When it last failed, or was read from the store; in monotonic time. */
  failedAt: number;
}

/** The backlog's part of a `WebhookCommit`. */
interface BacklogChanges {
  readonly deliveries: readonly HeldDelivery[];
  readonly events: readonly HeldEvent[];
  readonly droppedDeliveries: readonly number[];
  readonly droppedEvents: readonly number[];
}

/**
 * Events that a webhook has read and not delivered. A wallet has at most one delivery under way: only its own
 * later events wait for that.
 */
export class Backlog {
  readonly #idOf: (events: readonly WebhookEvent[]) => string;
  /** In order. */
  readonly #deliveries = new Map<number, PendingDelivery>();
  /** In order. */
  readonly #waiting = new Map<number, WebhookEvent>();
  /** Wallets of `#deliveries`. */
  readonly #locked = new Set<string>();
  #next = 1;
  #size = 0;
  /** What's in the store; `#changed` has the deliveries that differ from there. */
  readonly #keptDeliveries = new Set<number>();
  readonly #keptEvents = new Set<number>();
  readonly #changed = new Set<number>();

  /** @param now monotonic; stored deliveries are due then */
  constructor(
    { deliveries, events }: Pick<WebhookProgress, 'deliveries' | 'events'>,
    idOf: (events: readonly WebhookEvent[]) => string,
    now: number,
  ) {
    this.#idOf = idOf;
    for (const held of deliveries) {
      this.#put({ ...held, isSending: false, dueAt: now, failedAt: now });
      this.#keptDeliveries.add(held.number);
      this.#next = Math.max(this.#next, held.number + 1);
    }
    for (const { number, event } of events) {
      this.#waiting.set(number, event);
      this.#keptEvents.add(number);
      this.#next = Math.max(this.#next, number + 1);
    }
    this.#size = this.#waiting.size;
    for (const { events: own } of deliveries) this.#size += own.length;
  }

  /** How many events aren't delivered. */
  get size(): number {
    return this.#size;
  }

  /** For how many seconds the longest-failing delivery has failed. */
  get failingSeconds(): number {
    const all = [...this.#deliveries.values()];
    return Math.max(0, ...all.map(({ failingSeconds }) => failingSeconds));
  }

  /** How many events could be sent now, counted up to a limit. */
  ready(limit: number): number {
    let count = 0;
    for (const { data } of this.#waiting.values()) {
      if (!this.#locked.has(data.address)) count += 1;
      if (count === limit) break;
    }
    return count;
  }

  /** @param events in the order of the feed */
  add(events: readonly WebhookEvent[]): void {
    for (const event of events) this.#waiting.set(this.#next++, event);
    this.#size += events.length;
  }

  /** The next delivery to retry, which may not be due yet. */
  nextDue(): PendingDelivery | undefined {
    let next: PendingDelivery | undefined;
    for (const each of this.#deliveries.values()) {
      if (!each.isSending && (next === undefined || each.dueAt < next.dueAt)) next = each;
    }
    return next;
  }

  /** Makes all deliveries due: the receiver is back. */
  hasten(now: number): void {
    for (const each of this.#deliveries.values()) each.dueAt = Math.min(each.dueAt, now);
  }

  /** Composes the next delivery, to be sent now. @returns undefined if there's nothing to send */
  compose(now: number): PendingDelivery | undefined {
    const chosen = new Map<number, WebhookEvent>();
    let bytes = ENVELOPE_BYTES;
    for (const [number, event] of this.#waiting) {
      if (this.#locked.has(event.data.address)) continue;
      bytes += UTF_8.encode(bodyOf([event])).length + 1;
      // What is left out is the next delivery's, and so is all that follows it: its wallet's come later.
      if (bytes > BATCH_BYTES && chosen.size > 0) break;
      chosen.set(number, event);
      if (chosen.size === BATCH_MAX) break;
    }
    const batch = chosen.size > SINGLES ? [...chosen] : [...chosen].slice(0, 1);
    if (batch.length === 0) return undefined;
    for (const [number] of batch) this.#waiting.delete(number);
    const events = batch.map(([, event]) => event);
    return this.#make(events, { failures: 0, failingSeconds: 0, dueAt: now, failedAt: now });
  }

  /** The delivery succeeded. */
  settle({ number, events }: PendingDelivery): void {
    this.#deliveries.delete(number);
    for (const { data } of events) this.#locked.delete(data.address);
    this.#size -= events.length;
  }

  /** The delivery failed. @param waitMs until it's due again */
  fail(delivery: PendingDelivery, now: number, waitMs: number): void {
    delivery.failures += 1;
    delivery.failingSeconds += Math.round((now - delivery.failedAt) / 1000);
    delivery.failedAt = now;
    delivery.dueAt = now + waitMs;
    this.#changed.add(delivery.number);
  }

  /**
   * Splits a delivery into two with half of its wallets each, so that a wallet that a receiver rejects holds
   * back as few others as possible. Does nothing with a single wallet.
   */
  split(delivery: PendingDelivery): void {
    const { number, events } = delivery;
    const wallets = [...new Set(events.map(({ data }) => data.address))];
    if (wallets.length === 1) return;
    const first = new Set(wallets.slice(0, Math.ceil(wallets.length / 2)));
    this.#deliveries.delete(number);
    for (const isInFirst of [true, false]) {
      const part = events.filter(({ data }) => first.has(data.address) === isInFirst);
      this.#make(part, { ...delivery, failures: 0 });
    }
  }

  /** What to write so that another process can continue from here. */
  changes(): BacklogChanges {
    const toKeep = ({ number }: PendingDelivery) =>
      this.#changed.has(number) || !this.#keptDeliveries.has(number);
    const fresh = [...this.#waiting].filter(([number]) => !this.#keptEvents.has(number));
    return {
      deliveries: [...this.#deliveries.values()].filter(toKeep).map(heldOf),
      events: fresh.map(([number, event]) => ({ number, event })),
      droppedDeliveries: [...this.#keptDeliveries].filter((each) => !this.#deliveries.has(each)),
      droppedEvents: [...this.#keptEvents].filter((each) => !this.#waiting.has(each)),
    };
  }

  /** The changes were written. */
  written({ deliveries, events, droppedDeliveries, droppedEvents }: BacklogChanges): void {
    for (const { number, failures } of deliveries) {
      this.#keptDeliveries.add(number);
      // Unless it failed again meanwhile.
      if (this.#deliveries.get(number)?.failures === failures) this.#changed.delete(number);
    }
    for (const { number } of events) this.#keptEvents.add(number);
    for (const number of droppedDeliveries) this.#keptDeliveries.delete(number);
    for (const number of droppedEvents) this.#keptEvents.delete(number);
  }

  #make(
    events: readonly WebhookEvent[],
    rest: Pick<PendingDelivery, 'failures' | 'failingSeconds' | 'dueAt' | 'failedAt'>,
  ): PendingDelivery {
    const { failures, failingSeconds, dueAt, failedAt } = rest;
    const made = { number: this.#next++, id: this.#idOf(events), events, isSending: false };
    const delivery = { ...made, failures, failingSeconds, dueAt, failedAt };
    this.#put(delivery);
    return delivery;
  }

  #put(delivery: PendingDelivery): void {
    this.#deliveries.set(delivery.number, delivery);
    for (const { data } of delivery.events) this.#locked.add(data.address);
  }
}

function heldOf({ number, id, events, failures, failingSeconds }: PendingDelivery): HeldDelivery {
  return { number, id, events, failures, failingSeconds };
}
